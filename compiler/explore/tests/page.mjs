// The page in headless Chromium: load, make and fix an error, step, reorder, trace, share; every output; keys; a phone.
// Usage: AIRFOIL=PROGRAM OWN=PROGRAM EXPLORER=FOLDER [CHROMIUM=PROGRAM] node --test tests/page.mjs
// OWN is examples/own-pass: the command with a pass that the module does not have.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const PROGRAM = process.env.AIRFOIL ?? "../../target/debug/airfoil";
const OWN = process.env.OWN ?? "../../target/debug/add-zero-pass";
const FOLDER = process.env.EXPLORER ?? "../../target/explorer";
const SEA = "../../examples/shaders/sea.frag";
const OUTSIDE = /^https?:\/\/(?!127\.0\.0\.1:)/;

let server, own, url, ownUrl, context, folder;
const outside = [];

/** A server, and the address of its page. */
async function serve(program) {
  const server = spawn(program, ["explore", SEA, "--folder", FOLDER], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((resolve, reject) => {
    server.stdout.once("data", (data) => resolve(String(data).trim()));
    server.once("exit", (code) => reject(new Error(`the server ended with status ${code}`)));
  });
  return [server, url];
}

before(async () => {
  [server, url] = await serve(PROGRAM);
  [own, ownUrl] = await serve(OWN);
  folder = mkdtempSync(join(tmpdir(), "explorer-"));
  context = await chromium.launchPersistentContext(folder, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    viewport: { width: 1280, height: 800 },
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
});

after(async () => {
  await context?.close();
  server?.kill();
  own?.kill();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** A page at an address; faults of its scripts and its policy fail the test. */
async function open(address, options) {
  const page = await context.newPage();
  if (options?.size) await page.setViewportSize(options.size);
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  page.on("request", (request) => OUTSIDE.test(request.url()) && outside.push(request.url()));
  await page.goto(address);
  await settled(page);
  return page;
}

const settled = (page) => page.waitForFunction(() => window.explorerTimes?.all > 0, null, { timeout: 60000, polling: 20 });

/** Does something that compiles anew, and waits until all is shown. */
async function change(page, action) {
  await page.evaluate(() => (window.explorerTimes.all = 0));
  await action();
  await settled(page);
}

const text = (page, selector) => page.locator(selector).innerText();
const output = (page) => text(page, "#output .cm-content");
const tab = (page, name) => page.click(`[data-tab=${name}]`);
const pixels = (page) => page.evaluate(() => Array.from(document.querySelector("#image").getContext("2d").getImageData(0, 0, 192, 192).data).join());
const shownStep = (page) => page.inputValue("#step");
const drawn = (page, step) =>
  page.waitForFunction((step) => document.querySelector("#image").dataset.drawn === String(step), step, { timeout: 60000, polling: 50 });

async function done(page) {
  assert.deepEqual(page.faults, []);
  await page.close();
}

test("loads the shader that is served, and shows every output", async () => {
  const page = await open(url);
  assert.match(await text(page, "#status"), /AIR in .* bytes/);
  assert.match(await text(page, "#source .cm-content"), /Water under a sky/);
  assert.match(await output(page), /target triple = "air64-apple-macosx/);
  await tab(page, "ir");
  await page.waitForFunction(() => /form target/.test(document.querySelector("#summary").textContent));
  await tab(page, "spirv");
  await page.waitForFunction(() => /OpCapability Shader/.test(document.querySelector("#output .cm-content").textContent));
  await tab(page, "reflection");
  await page.waitForFunction(() => /"metal"/.test(document.querySelector("#output .cm-content").textContent));
  await tab(page, "graph");
  for (const [view, least] of [["cfg", 5], ["dom", 5], ["loops", 2], ["liveness", 5], ["divergence", 5], ["uses", 100], ["plan", 100]]) {
    await page.selectOption("#graph-view", view);
    await page.waitForFunction((least) => document.querySelectorAll("#graph g.node").length >= least, least);
  }
  const colours = await page.evaluate(() => new Set(document.querySelector("#image").getContext("2d").getImageData(0, 0, 192, 192).data).size);
  assert.ok(colours > 10, `the image has ${colours} different bytes`);
  await done(page);
});

test("shows an error at its line, and recovers", async () => {
  const page = await open(url);
  const line = page.locator("#source .cm-line", { hasText: "float fresnel =" });
  await line.click();
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await page.waitForSelector("#faults li.error");
  assert.match(await text(page, "#faults li.error"), /^4[56]:\d+ E\d+ .*;/);
  assert.match(await text(page, "#status"), /1 error/);
  assert.equal(await page.locator("#source .cm-lint-marker-error").count(), 1);
  await change(page, () => page.keyboard.type(";"));
  assert.equal(await page.locator("#faults li").count(), 0);
  assert.match(await text(page, "#status"), /AIR in/);
  await done(page);
});

test("steps through the pipeline: IR, difference and image after each pass", async () => {
  const page = await open(url);
  await tab(page, "ir");
  const last = Number(await page.getAttribute("#step", "max"));
  assert.ok(last > 8, `${last} changes`);
  assert.equal(Number(await shownStep(page)), last);
  await drawn(page, last);
  const end = await pixels(page);
  await page.fill("#step", "2");
  await page.waitForFunction(() => /^2 of /.test(document.querySelector("#step-name").textContent));
  await page.waitForSelector("#output .removed");
  assert.match(await text(page, "#passes .current"), /\w/);
  await drawn(page, 2);
  const [one, other] = [end.split(","), (await pixels(page)).split(",")];
  const far = one.filter((x, n) => Math.abs(x - other[n]) > 3).length;
  assert.ok(far < one.length / 100, `${far} of ${one.length} bytes of the image differ`);
  await page.keyboard.press("Alt+ArrowRight");
  await page.waitForFunction(() => /^3 of /.test(document.querySelector("#step-name").textContent));
  await page.keyboard.press("Alt+KeyD");
  await page.waitForFunction(() => document.querySelectorAll("#output .removed").length === 0);
  await done(page);
});

test("passes are switched off, moved and added", async () => {
  const page = await open(url);
  const names = () => page.locator("#passes .pass .name").allInnerTexts();
  const first = await names();
  const at = first.indexOf("inline_functions");
  await page.locator("#passes .pass").nth(at).locator(".name").click();
  await page.focus("#passes");
  await change(page, () => page.keyboard.press("Alt+ArrowUp"));
  const moved = await names();
  assert.deepEqual([moved[at - 1], moved[at]], [first[at], first[at - 1]]);
  assert.equal(await text(page, "#pipeline-note"), "edited");
  // Without inlining the shader cannot be lowered: the pipeline's message, and the page goes on.
  await page.keyboard.press("Space");
  await page.waitForSelector("#faults li.error");
  assert.match(await text(page, "#passes .off .name"), /inline_functions/);
  await change(page, () => page.keyboard.press("Space"));
  assert.equal(await page.locator("#faults li").count(), 0);
  await change(page, () => page.selectOption("#add", "cse"));
  assert.equal((await names()).length, first.length + 1);
  await change(page, () => page.click("#reset"));
  assert.deepEqual(await names(), first);
  await done(page);
});

test("a command with an own pass compiles for its page", async () => {
  const page = await open(ownUrl);
  const first = await page.locator("#passes .pass").count();
  await change(page, () => page.selectOption("#add", "add_zero"));
  assert.equal(await page.locator("#passes .pass").count(), first + 1);
  assert.match(await text(page, "#passes"), /add_zero/);
  assert.match(await text(page, "#status"), /AIR in/);
  assert.notEqual(await pixels(page), "");
  await done(page);
});

test("uniforms change the image, a click traces a pixel, lines are linked", async () => {
  const page = await open(url);
  const last = Number(await page.getAttribute("#step", "max"));
  await drawn(page, last);
  const first = await pixels(page);
  await page.evaluate(() => delete document.querySelector("#image").dataset.drawn);
  await page.locator("#controls input[aria-label=time]").fill("7.5");
  await drawn(page, last);
  assert.notEqual(await pixels(page), first);
  await page.click("#image", { position: { x: 100, y: 60 } });
  await page.waitForSelector("#trace tr");
  assert.match(await text(page, "#summary"), /^pixel 9\d, 5\d · \d+ values · colour/);
  const values = await page.locator("#trace tr td:last-child").allInnerTexts();
  assert.ok(values.length > 50 && values.some((value) => /^-?\d+\.\d+/.test(value)), values.join("; "));
  await page.locator("#trace tr[data-line]:not([data-line='0'])").nth(20).hover();
  await page.waitForSelector("#source .linked");
  await tab(page, "air");
  await page.locator("#source .cm-line.link").first().hover();
  await page.waitForSelector("#output .linked");
  await done(page);
});

test("a shared address restores everything", async () => {
  const page = await open(url);
  await page.locator("#source .cm-line", { hasText: "uniform float time;" }).click();
  await page.keyboard.press("End");
  await change(page, () => page.keyboard.type(" // shared"));
  await page.locator("#passes .pass", { hasText: "loop_unroll" }).first().locator("input").click();
  await page.waitForSelector("#passes .off");
  await page.click("[data-tab=ir]");
  await page.fill("#step", "3");
  await page.locator("#controls input[aria-label=time]").fill("4");
  await page.click("#share");
  await page.waitForFunction(() => location.hash.length > 100);
  const address = page.url();
  assert.ok(address.length < 8000, `${address.length} characters`);
  await done(page);
  const other = await open(address);
  await other.waitForFunction(() => /^3 of /.test(document.querySelector("#step-name").textContent));
  assert.match(await text(other, "#source .cm-content"), /\/\/ shared/);
  assert.match(await text(other, "#passes .off .name"), /loop_unroll/);
  assert.equal(await other.inputValue("#controls input[aria-label=time]"), "4");
  assert.equal(await other.getAttribute("[data-tab=ir]", "aria-selected"), "true");
  await done(other);
});

test("deep and endless shaders leave the page alive", async () => {
  const page = await open(url);
  const paste = (text) => change(page, () => page.evaluate((text) => window.explorerOpen(text), text));
  const main = (body) => `#version 330\nuniform float a;\nout vec4 color;\nvoid main() {\n${body}\n}\n`;
  // Deeper than a small stack has room for, and no thread to turn to.
  await paste(main(`color = vec4(${"(a + ".repeat(120)}a${")".repeat(120)});`));
  assert.match(await text(page, "#status"), /AIR in/);
  await paste(main("float x = a; while (x < 1e30) x *= a; color = vec4(x);"));
  await page.waitForFunction(() => document.querySelector("#image-note").textContent !== "", null, { timeout: 60000 });
  await paste(main("color = vec4(a);"));
  assert.match(await text(page, "#status"), /AIR in/);
  await done(page);
});

test("other sources, dark and light, a phone", async () => {
  const page = await open(url, { size: { width: 390, height: 780 } });
  assert.ok(await page.isVisible("#source"));
  for (const [panel, selector] of [["image", "#image"], ["pipeline", "#passes"], ["output", "#output"], ["source", "#source"]]) {
    await page.click(`nav [data-panel=${panel}]`);
    assert.ok(await page.isVisible(selector), panel);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    assert.ok(!wide, `${panel} is wider than the screen`);
  }
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const first = await theme();
  await page.click("#theme");
  assert.notEqual(await theme(), first);
  const examples = await page.locator("#example option").count();
  for (let n = 0; n < examples; n++) {
    await change(page, () => page.selectOption("#example", String(n)));
    assert.match(await text(page, "#status"), /AIR in/, `example ${n}`);
  }
  await done(page);
});

test("a time per key press, and no request to elsewhere", async () => {
  const page = await open(url);
  await page.locator("#source .cm-line", { hasText: "uniform float time;" }).click();
  await page.keyboard.press("End");
  const rows = [];
  for (let n = 0; n < 25; n++) {
    await page.waitForTimeout(300);
    await change(page, () => page.keyboard.press("Space"));
    rows.push(await page.evaluate(() => ({ ...window.explorerTimes })));
  }
  const median = (name) => rows.slice(5).map((row) => row[name]).sort((a, b) => a - b)[10];
  const shown = (name) => `${median(name).toFixed(1)} ms`;
  console.log(`key press to AIR ${shown("ended")}, on the page ${shown("air")}, all panes and the coarse image ${shown("all")} (medians)`);
  assert.ok(median("ended") < 50 && median("all") < 1000, "an order of magnitude above what was measured");
  assert.deepEqual(outside, []);
  await done(page);
});
