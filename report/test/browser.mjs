// The page in headless Chromium: node test/browser.mjs FILE.html … [--picture FILE.png]
//
// Looks at every page on a phone and on a desk, light and dark, uses the first one and puts it on paper; prints what is wrong and ends
// with status 1 when something is.

import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  // Software drawing: the same on a machine without a graphics card.
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const [PHONE, DESK] = [390, 1280];
/** Smallest text that people read on a phone [px]. */
const SMALLEST = 12;

const wrong = [];
const expect = (holds, what) => {
  if (!holds) wrong.push(what);
};

/** Colours of a picture that is drawn small: how many differ, and all of them for a comparison. */
function pixels() {
  const from = document.querySelector(".screen canvas");
  const small = document.createElement("canvas");
  [small.width, small.height] = [160, 100];
  const context = small.getContext("2d");
  context.drawImage(from, 0, 0, small.width, small.height);
  const { data } = context.getImageData(0, 0, small.width, small.height);
  const colors = new Set();
  for (let i = 0; i < data.length; i += 4) colors.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return { colors: colors.size, data: Array.from(data) };
}

/** Every text that is seen and smaller than allowed, in pixels of the screen. */
function smallText(smallest) {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || ["SCRIPT", "STYLE", "NOSCRIPT"].includes(element.tagName)) continue;
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) continue;
    let scale = 1;
    const drawing = element.closest("svg");
    if (drawing?.viewBox?.baseVal?.width) scale = drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width;
    const size = parseFloat(getComputedStyle(element).fontSize) * scale;
    if (size < smallest - 0.01) found.push(`${size.toFixed(1)} px: ${walker.currentNode.textContent.trim().slice(0, 40)}`);
  }
  return found;
}

async function scrub(page, share) {
  await page.evaluate((value) => {
    const slider = document.querySelector(".bar input[type=range]");
    slider.value = String(value);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }, Math.round(1000 * share));
  return page.evaluate(pixels);
}

const differing = (a, b) => a.data.reduce((count, x, i) => count + (Math.abs(x - b.data[i]) > 12 ? 1 : 0), 0);

async function look(browser, file, { width, dark }) {
  const where = `${file}, ${width} px, ${dark ? "dark" : "light"}`;
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: dark ? "dark" : "light" });
  const page = await context.newPage();
  page.on("console", (message) => expect(message.type() !== "error" && message.type() !== "warning", `${where}: console: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`${where}: ${error}`));
  page.on("request", (request) => expect(/^(file|data|blob):/.test(request.url()), `${where}: asked for ${request.url()}`));
  await page.goto(pathToFileURL(resolve(file)).href);
  await page.waitForSelector("html[data-ready=true]", { timeout: 60_000 });
  await page.waitForTimeout(400);
  const start = await scrub(page, 0);
  const end = await scrub(page, 1);
  expect(start.colors > 20, `${where}: the canvas is blank at the start (${start.colors} colours)`);
  expect(end.colors > 20, `${where}: the canvas is blank at the end (${end.colors} colours)`);
  expect(differing(start, end) > 40, `${where}: the canvas is the same at the start and at the end`);
  if (width === PHONE) for (const text of await page.evaluate(smallText, SMALLEST)) wrong.push(`${where}: small text, ${text}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(wide <= 0, `${where}: the page is ${wide} px wider than the screen`);
  return { context, page, where };
}

/** What can be switched and played does something. */
async function use(page, where) {
  await scrub(page, 0.9);
  const plain = await page.evaluate(pixels);
  for (const box of await page.locator(".choices input[type=checkbox]").all()) await box.check();
  await page.selectOption(".choices select >> nth=1", "");
  const one = await scrub(page, 0.9);
  expect(differing(plain, one) > 40, `${where}: one view looks like two`);
  await scrub(page, 0);
  await page.click(".play");
  await page.waitForTimeout(1500);
  const moved = await page.evaluate(() => Number(document.querySelector(".bar input").value));
  expect(moved > 0, `${where}: the play button plays nothing`);
  const button = page.locator(".legend button").first();
  const before = await page.locator("#plots svg path").count();
  await button.click();
  expect((await button.getAttribute("aria-pressed")) === "false", `${where}: the legend does not switch`);
  expect((await page.locator("#plots svg path").count()) < before, `${where}: a curve stays when its model is switched off`);
  await button.click();
}

async function paper(page, where) {
  await page.emulateMedia({ media: "print", colorScheme: "light" });
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  const still = await page.evaluate(() => {
    const image = document.querySelector("img.still");
    return { seen: getComputedStyle(image).display !== "none", wide: image.naturalWidth, alt: image.alt };
  });
  expect(still.seen && still.wide > 100, `${where}: no still picture on paper`);
  expect(still.alt.length > 10, `${where}: the still picture has no description`);
  await page.emulateMedia({ media: "screen" });
}

const words = process.argv.slice(2);
const at = words.indexOf("--picture");
const picture = at >= 0 ? words.splice(at, 2)[1] : null;
const executablePath = CHROMIUM.find((path) => existsSync(path));
if (!executablePath) {
  console.error("no chromium: Debian's package `chromium` gives it");
  process.exit(3);
}
const browser = await chromium.launch({ executablePath, headless: true, args: FLAGS });
try {
  for (const file of words) {
    const first = file === words[0];
    // Software drawing is slow: every look counts.
    const looks = first
      ? [{ width: PHONE, dark: false }, { width: DESK, dark: true }, { width: DESK, dark: false }]
      : [{ width: PHONE, dark: true }, { width: DESK, dark: false }];
    for (const how of looks) {
      const { context, page, where } = await look(browser, file, how);
      if (first && how.width === DESK && !how.dark) {
        await use(page, where);
        await paper(page, where);
      }
      await context.close();
    }
    const { size } = await stat(file);
    console.log(`${file}: ${(size / 1e6).toFixed(1)} MB, looked at in ${PHONE} and ${DESK} px, light and dark${first ? ", used, and on paper" : ""}`);
  }
  if (picture) {
    const context = await browser.newContext({ viewport: { width: 1000, height: 1060 }, colorScheme: "light" });
    const page = await context.newPage();
    await page.goto(pathToFileURL(resolve(words[0])).href);
    await page.waitForSelector("html[data-ready=true]");
    await scrub(page, 0.95);
    await page.screenshot({ path: picture });
    await context.close();
  }
} finally {
  await browser.close();
}
for (const line of wrong) console.error(line);
process.exit(wrong.length ? 1 : 0);
