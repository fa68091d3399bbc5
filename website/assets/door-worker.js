// Brings the door's page back when it is loaded again without the network: the page without what was looked for, and the files of the
// scanner. Everything else goes to the network as if this was not here.
const DOOR = new URL(registration.scope).pathname;
const CACHES = "muster-door:";
const CACHE = CACHES + DOOR;
const DAY = 24 * 60 * 60 * 1000;
// A page that was stored so lately is not loaded again with each form of the door.
const FRESH = 5 * 60 * 1000;
const SAVED = "x-saved";

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

const isOld = (page, age = DAY) => !page || Date.now() - Number(page.headers.get(SAVED)) > age;
const evict = async () => {
  await caches.delete(CACHE);
  await registration.unregister();
};
// Signed out, or no longer at this door.
const isDenied = (answer) => answer.type === "opaqueredirect" || [401, 403, 404].includes(answer.status);

// What other doors left on the device for more than a day goes.
const tidy = async () => {
  for (const name of await caches.keys()) {
    if (!name.startsWith(CACHES)) continue;
    const cache = await caches.open(name);
    if (isOld(await cache.match(name.slice(CACHES.length)))) await caches.delete(name);
  }
};

// Stores the page as it is without a query, then its files. Those of an earlier release go.
const store = async (files) => {
  const cache = await caches.open(CACHE);
  const known = await cache.keys();
  const paths = known.map(({ url }) => new URL(url).pathname);
  if (!isOld(await cache.match(DOOR), FRESH) && files.every((file) => paths.includes(file))) return;
  const page = await fetch(DOOR, { redirect: "manual" });
  if (isDenied(page)) return evict();
  if (!page.ok) return;
  const headers = new Headers(page.headers);
  headers.set(SAVED, Date.now());
  await cache.put(DOOR, new Response(await page.blob(), { headers }));
  await cache.addAll(files.filter((file) => !paths.includes(file)));
  const isGone = (path) => path !== DOOR && !files.includes(path);
  await Promise.all(paths.filter(isGone).map((path) => cache.delete(path)));
  await tidy();
};
addEventListener("message", (event) => event.waitUntil(store(event.data).catch(() => {})));

const page = async (request) => {
  try {
    const answer = await fetch(request);
    if (isDenied(answer)) await evict();
    return answer;
  } catch (failure) {
    const cache = await caches.open(CACHE);
    const cached = await cache.match(DOOR);
    if (!isOld(cached)) return cached;
    await evict();
    throw failure;
  }
};

// The name of a file changes with its content.
const file = async (request) => {
  const cache = await caches.open(CACHE);
  return await cache.match(request) ?? fetch(request);
};

addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate" && pathname === DOOR) event.respondWith(page(request));
  else if (pathname.startsWith("/assets/")) event.respondWith(file(request));
});
