// SPDX-License-Identifier: LGPL-2.1-or-later

export const view = { section: "camera", show() {}, hide() {}, update() {} };
