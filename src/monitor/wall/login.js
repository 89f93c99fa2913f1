// SPDX-License-Identifier: LGPL-2.1-or-later
// A link to a camera that led here keeps its fragment, which the wall follows after the log-in. Without
// this script, the log-in leads to the wall.

const MESSAGES = ["", "#ended", "#wrong", "#wait"];

if (!MESSAGES.includes(location.hash)) {
  sessionStorage.setItem("place", JSON.stringify({ hash: location.hash }));
}
