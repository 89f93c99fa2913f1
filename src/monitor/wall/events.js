// SPDX-License-Identifier: LGPL-2.1-or-later

export const view = { section: "events", show() {}, hide() {}, update() {} };
