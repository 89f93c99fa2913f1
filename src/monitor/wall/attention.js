// SPDX-License-Identifier: LGPL-2.1-or-later

export function startAttention() {}
export function tell() {}
export function updateAttention() {}
export const isAttentive = () => false;
