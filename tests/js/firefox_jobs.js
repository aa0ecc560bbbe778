// The main jobs in Firefox, by its keys: `SITE=http://... SESSION=cookie FIREFOX=path node --test firefox_jobs.js`.
// tests/browser/test_firefox.py starts it against the dashboard with a stand-in, and checks what the stand-in received.
// Firefox speaks WebDriver BiDi itself, so no driver is needed.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";

import puppeteer from "puppeteer-core";

const { SITE, SESSION, FIREFOX, CONTACT, ESTIMATE, LEAD } = process.env;
const PATIENCE = 60_000; // ms until what a job waits for counts as missing; the machine may be busy
const ERRORS = []; // of the scripts on the pages

let browser;
let page;

before(async () => {
  browser = await puppeteer.launch({ browser: "firefox", executablePath: FIREFOX, headless: true });
  await browser.setCookie({ name: "sessionid", value: SESSION, domain: new URL(SITE).hostname, path: "/" });
});
after(() => browser?.close());

beforeEach(async () => {
  page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on("pageerror", (error) => ERRORS.push(String(error)));
});
afterEach(async () => {
  await page.close();
  assert.deepEqual(ERRORS.splice(0), []);
});

const open = (path) => page.goto(SITE + path, { waitUntil: "load" });
// Not page.waitForFunction: it makes a function of a text in the page, which the policy for contents refuses.
async function until(condition, ...values) {
  const end = Date.now() + PATIENCE;
  while (!(await page.evaluate(condition, ...values).catch(() => false))) {
    if (Date.now() > end) throw new Error(`Not so in time: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const at = (pattern) => until((text) => new RegExp(text).test(location.pathname + location.search), pattern);
const shows = (place, text) => until((where, words) => document.querySelector(where)?.textContent.includes(words), place, text);
const focused = (selector) => until((one) => document.activeElement?.matches(one), selector);
const type = (text) => page.keyboard.type(text);

async function press(keys) {
  const parts = keys.split("+");
  for (const key of parts.slice(0, -1)) await page.keyboard.down(key);
  await page.keyboard.press(parts.at(-1));
  for (const key of parts.slice(0, -1).reverse()) await page.keyboard.up(key);
}

async function choose(text, option) {
  await type(text);
  await until((words) => [...document.querySelectorAll("[role=option]")].some((one) => one.checkVisibility() && one.textContent.includes(words)), option);
  await press("Enter");
}

test("a contact is created", async () => {
  await open("/contacts/");
  await type("cc");
  await at("^/contacts/new/");
  await focused("[name=cstname]");
  await type("Ada Fox");
  await press("Tab");
  await type("ada@fox.example");
  await press("Control+Enter");
  await at("^/contacts/\\d+/$");
  await shows("h1", "Ada Fox");
});

test("keys that are typed while a page comes go into its first field", async () => {
  await open("/contacts/");
  await type("ccZoe Fast");
  await at("^/contacts/new/");
  await until(() => document.querySelector("[name=cstname]")?.value === "Zoe Fast");
});

test("a phone is changed in place", async () => {
  await open(`/contacts/${CONTACT}/`);
  await press("f");
  await focused("[name=cstemail]");
  await press("Tab");
  await focused("[name=cstmobile]");
  await press("Control+a");
  await type("0301234");
  await press("Enter");
  await shows("main", "0301234");
});

test("an invoice of two lines is created", async () => {
  await open("/invoices/");
  await type("ci");
  await at("^/invoices/new/");
  await focused("[role=combobox]");
  await choose("zeb", "Zebra");
  for (const item of ["con", "des"]) {
    await focused("[aria-label^='Item, line']");
    await type(item);
    await press("Enter");
    await focused("[aria-label^='Quantity, line']");
    await type("2");
    if (item === "con") await press("Enter");
  }
  await press("Control+Enter");
  await at("^/invoices/\\d+/$");
});

test("an estimate becomes an invoice", async () => {
  await open(`/estimates/${ESTIMATE}/`);
  await press("i");
  await at("^/invoices/new/");
  await focused("main form *");
  await press("Control+Enter");
  await at("^/invoices/\\d+/$");
});

test("a lead becomes a contact and a deal", async () => {
  await open(`/leads/${LEAD}/`);
  await press("v");
  await focused("[name=deal_amount]");
  await type("9500");
  await press("Control+Enter");
  await at("^/deals/\\d+/$");
});

test("a task is written for a contact", async () => {
  await open(`/contacts/${CONTACT}/`);
  await press("t");
  await at("^/tasks/new/");
  await focused("main form input");
  await type("Call the fox");
  await press("Control+Enter");
  await at("^/(tasks|contacts)/\\d+/$");
  await shows("#messages", "Call the fox");
});

test("the palette finds a contact", async () => {
  await open("/");
  await press("Control+k");
  await choose("zebra", "Zebra");
  await at("^/contacts/\\d+/$");
});

test("a list is searched, and its first row opened", async () => {
  await open("/contacts/");
  await press("q");
  await type("zebra");
  await at("search=zebra");
  await press("Enter");
  await focused("#results tbody th a");
  await press("Enter");
  await at("^/contacts/\\d+/$");
});

test("what was typed is kept as a draft", async () => {
  await open("/deals/new/");
  await page.focus("[name=deal_name]");
  await type("Fox hole");
  await shows("[data-draft-line]", "Kept as unfinished");
  await open("/unfinished/");
  await shows("main", "Fox hole");
});

test("a wrong value is told beside its field", async () => {
  await open("/contacts/new/");
  await focused("[name=cstname]");
  await type("Wrong");
  await page.focus("[name=cstemail]");
  await type("nobody");
  await press("Control+Enter");
  await focused("#error-summary");
  await until(() => document.querySelector("[name=cstemail]").getAttribute("aria-invalid") === "true");
});

test("a contact is deleted", async () => {
  await open(`/contacts/${CONTACT}/`);
  await press("#");
  await at("^/contacts/");
});
