// Measures pages with Lighthouse, and fails for each that has less than 98 in a category in both of two runs.
//
// usage: measure.mjs TOOLS BASE_URL PROFILE_FOLDER

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const LEAST = 98;
// What a busy machine spoils once is measured again.
const RUNS = 2;
// Chromium sometimes records nothing, which measures nothing.
const TRIES = 3;
const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"];

const [tools, base, profile] = process.argv.slice(2);
const require = createRequire(`${tools}/package.json`);
const load = async (name) => (await import(pathToFileURL(require.resolve(name)))).default;
const lighthouse = await load("lighthouse");
const desktop = await load("lighthouse/core/config/desktop-config.js");
const { launch } = await import(pathToFileURL(createRequire(require.resolve("lighthouse")).resolve("chrome-launcher")));

const events = await (await fetch(`${base}/api/v1/events?limit=1`)).json();
const pages = ["/", `/events/${events.items[0].slug}`, "/docs", "/docs/create-event", "/docs/paging", "/guides/publish-an-event"];
const devices = { phone: undefined, desktop };

const chrome = await launch({
  chromePath: "/usr/bin/chromium",
  userDataDir: profile,
  // It finds nobody but this machine.
  chromeFlags: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
});

/** The points of a page in each category. */
async function measure(page, config) {
  const flags = { port: chrome.port, logLevel: "error", onlyCategories: CATEGORIES, disableFullPageScreenshot: true };
  for (let attempt = 1; ; attempt++) {
    const { lhr } = await lighthouse(base + page, flags, config);
    if (!lhr.runtimeError) return CATEGORIES.map((name) => Math.round(lhr.categories[name].score * 100));
    if (attempt === TRIES) throw new Error(`${page}: ${lhr.runtimeError.message}`);
  }
}

let failed = 0;
try {
  for (const page of pages) {
    for (const [device, config] of Object.entries(devices)) {
      let isGood = false;
      for (let run = 0; run < RUNS && !isGood; run++) {
        const points = await measure(page, config);
        isGood = points.every((one) => one >= LEAST);
        console.log(`${isGood ? "good" : "BAD "} ${points.join(" ")} ${page} on a ${device}`);
      }
      if (!isGood) failed++;
    }
  }
} finally {
  chrome.kill();
}
if (failed) {
  console.log(`lighthouse: ${failed} pages on a device have less than ${LEAST} in one of ${CATEGORIES.join(", ")}`);
  process.exit(1);
}
console.log(`lighthouse: ${pages.length} pages have, on each device, at least ${LEAST} in ${CATEGORIES.join(", ")}`);
