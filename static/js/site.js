// What every page loads, and what it loads later. Pages work without it.

import "live_regions";
import "htmx_setup";
import "focus";
import "submit_once";
import "theme";
import "list_return";
import "keys";
import "parts";
import "palette";
import "choose_rows";
import "suggestions";
import { find, whenIdle } from "page";
import "next_page"; // the last one: it types what was typed on the page before

const session = find("meta[name=session]");
if (find("[data-src]")) whenIdle(() => import("panels"));
// Before the sign-in may end, and after a 401. Forms have it already.
const checkSession = async () => (await import("session")).checkSession();
document.addEventListener("sign-in-required", checkSession);
if (session) setTimeout(checkSession, (session.dataset.sessionSeconds - 120) * 1000);
// Reminders of tasks, once a page was open for a moment.
if (session?.matches("[data-reminds]")) setTimeout(() => import("due"), 8_000);
