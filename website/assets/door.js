// The door with a camera: codes are scanned one after another, also while the network is away. The page works without it.
const scanner = document.querySelector("#scanner");
const { event, door, tickets, library, files, keeper } = scanner.dataset;
const part = (name) => scanner.querySelector(`[data-part="${name}"]`);
const button = part("button"), view = part("view"), choice = part("choice");

const DAY = 24 * 60 * 60 * 1000;
const LIST_AGE = 5 * 60 * 1000;
const POLL = 10 * 1000;
// A scan that takes longer is judged by the list.
const ANSWER_TIMEOUT = 5 * 1000;
// A code that stays before the camera is one scan.
const SAME = 2500;
// As many as an event has seats.
const MAX_SCANS = 10000;

const LISTS = "muster-door-codes:";
const LIST = LISTS + event, SCANS = `muster-door-scans:${event}`, CAMERA = "muster-door-camera";
const CONFLICTS = `muster-door-conflicts:${event}`, IS_ON = "muster-door-is-on";

const stored = (key, storage = localStorage) => JSON.parse(storage.getItem(key));
const store = (key, value, storage = localStorage) => {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch {
    say("This browser keeps nothing on the device. Leave this page open until all scans are sent.");
  }
};
// The site's script knows how the viewer's clocks show hours. Only what is shown is converted, once.
const hours = (text) => globalThis.musterHours?.(text) ?? text;
const clock = (at) => new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
const people = (count, one, more) => `${count} ${count === 1 ? one : more}`;
const say = (text) => {
  const shown = hours(text);
  if (part("state").textContent !== shown) part("state").textContent = shown;
};

// What was scanned and is not sent yet, in order, and what the server decided otherwise than the list.
const scans = stored(SCANS) ?? [];
const conflicts = stored(CONFLICTS, sessionStorage) ?? [];
const storeScans = () => store(SCANS, scans);
// Whether the server did not answer last, and whether this person is at the door no more.
let isOffline = false, isOver = false;

// Lists are for the day, also those of other events.
const isOld = ({ saved }) => Date.now() - saved > DAY;
for (const key of Object.keys(localStorage)) {
  if (key.startsWith(LISTS) && isOld(stored(key))) localStorage.removeItem(key);
}
let list = stored(LIST);
const dropList = () => { list = null; localStorage.removeItem(LIST); };

// The page and its files stay on the device for a day, so that a reload without the network brings them back.
const cachePage = async () => {
  const links = document.querySelectorAll("link[rel=stylesheet], script[src]");
  const paths = [...links].map((link) => new URL(link.href ?? link.src).pathname);
  const all = [...new Set([...paths, ...files.split(" ")])];
  // Loaded with the page: later the network may be away.
  for (const file of all) fetch(file).catch(() => {});
  const { serviceWorker: workers } = navigator;
  if (!workers) return;
  await workers.register(keeper, { scope: door });
  const { active } = await workers.ready;
  active.postMessage(all);
};
const uncachePage = async () => {
  const worker = await navigator.serviceWorker?.getRegistration(door);
  await worker?.unregister();
  await globalThis.caches?.delete(`muster-door:${door}`);
};

// The code in what a camera read, as the server writes it; null if there is none.
const codeIn = (text) => {
  const rest = text.startsWith(tickets) ? text.slice(tickets.length).replace(/\/$/, "") : text.trim();
  if (/^[0-9A-Za-z]{20}$/.test(rest)) return rest;
  const digits = rest.replace(/[\s-]/g, "").toUpperCase().replace(/O/g, "0").replace(/[IL]/g, "1");
  return /^[0-9A-HJKMNP-TV-Z]{12}$/.test(digits) ? digits.match(/.{4}/g).join("-") : null;
};
const hashed = async (code) => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${event}:${code}`));
  return [...new Uint8Array(digest, 0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
};

// Asks the server. Null if it cannot be reached or is busy: then it is asked again later.
const ask = async (path, form) => {
  try {
    const request = form && { method: "POST", body: new URLSearchParams(form) };
    const answer = await fetch(`${door}/${path}`, { ...request, redirect: "manual", signal: AbortSignal.timeout(ANSWER_TIMEOUT) });
    const isDenied = answer.type === "opaqueredirect" || [401, 403, 404].includes(answer.status);
    if (isDenied) end();
    isOffline = !answer.ok;
    return answer.ok ? await answer.json() : null;
  } catch {
    isOffline = true;
    return null;
  }
};

// Signed out, or no longer at this door. What was scanned stays, to be sent after signing in.
const end = () => {
  isOver = true;
  dropList();
  uncachePage();
  stop();
  button.hidden = true;
  part("ended").hidden = false;
};

const show = ({ tone, word, name, detail, registration_id: id, people: here, party_size: size }) => {
  const card = scanner.querySelector(`template[data-tone="${tone}"]`).content.cloneNode(true);
  for (const [key, text] of Object.entries({ word, name, detail })) {
    const field = card.querySelector(`[data-part="${key}"]`);
    field.textContent = key === "detail" ? hours(text ?? "") : text ?? "";
    field.hidden = !text;
  }
  for (const form of card.querySelectorAll("form")) {
    const { registration_id: whose, people: number } = form.elements;
    if (!id || (number && size < 2)) {
      form.remove();
      continue;
    }
    whose.value = id;
    const option = (_, at) => new Option(`${at + 1} of ${size}`, at + 1, false, at + 1 === here);
    number?.replaceChildren(...Array.from({ length: size }, option));
  }
  part("result").replaceChildren(card);
  document.querySelector(".door > .result")?.remove();
};

const showConflicts = () => {
  const rows = conflicts.map(({ at, word, name, detail }) => {
    const row = document.createElement("li");
    row.className = "row";
    const said = [name, word, hours(detail ?? "")].filter(Boolean).join(" · ");
    row.textContent = `Scanned at ${hours(clock(at))}: ${said}`;
    return row;
  });
  part("conflicts").hidden = !rows.length;
  part("conflicts").querySelector("ul").replaceChildren(...rows);
};
part("conflicts").querySelector("button").addEventListener("click", () => {
  conflicts.length = 0;
  store(CONFLICTS, conflicts, sessionStorage);
  showConflicts();
});

// What the list on the device says of a code.
const judged = async (scan) => {
  const since = list ? `By the list of ${clock(list.saved)}.` : "There is no list on this device yet.";
  const detail = `${since} It is sent when the network is back.`;
  const [status, size] = list?.codes[await hashed(scan.code)]?.split(":") ?? [];
  if (!list) return { tone: "warn", word: "Noted", detail };
  if (status === "Confirmed") return { tone: "good", word: size > 1 ? `Expected, ${size} people` : "Expected", detail };
  if (status === "here") return { tone: "warn", word: "Already checked in", detail };
  return { tone: "bad", word: status === "Cancelled" ? "Cancelled" : status ? "Has no spot" : "Not on the list", detail };
};

// Sends what was scanned, in order. The server decides; what it decides otherwise than the list is shown until someone has seen it.
let sending = null;
const send = () => sending ??= sendAll().finally(() => { sending = null; });
const sendAll = async () => {
  while (scans.length && !isOver) {
    const [scan] = scans;
    const answer = await ask("scans", { code: scan.code, key: scan.key });
    if (!answer) break;
    scans.shift();
    storeScans();
    showCount(answer);
    if (list && answer.tone !== "bad") {
      list.codes[await hashed(scan.code)] = "here";
      store(LIST, list);
    }
    if (!scan.tone) {
      show(answer);
      continue;
    }
    // What the list said is no longer so.
    part("result").replaceChildren();
    if (isConflict(scan.tone, answer.tone)) {
      conflicts.push({ ...answer, at: scan.at });
      store(CONFLICTS, conflicts, sessionStorage);
      showConflicts();
    }
  }
  showState();
};
const isConflict = (here, there) => here !== there && !(here === "warn" && there === "good");
const judge = async () => {
  for (const scan of scans.filter(({ tone }) => !tone)) {
    const verdict = await judged(scan);
    scan.tone = verdict.tone;
    storeScans();
    show(verdict);
  }
  showState();
};

const take = async (text) => {
  const code = codeIn(text);
  if (!code) return show({ tone: "bad", word: "Unknown code", detail: "It is no ticket of this site." });
  const before = scans.find((scan) => scan.code === code && scan.tone);
  if (before) return show({ tone: "warn", word: "Already scanned here", detail: `${clock(before.at)}, not sent yet.` });
  if (scans.length >= MAX_SCANS) return show({ tone: "bad", word: "Too many unsent scans", detail: "Find the network first." });
  scans.push({ code, key: crypto.randomUUID(), at: Date.now() });
  storeScans();
  // While the network is away nobody waits for it.
  if (!isOffline) await send();
  await judge();
};

const showCount = ({ here, guests }) => {
  document.querySelector("[data-count]").textContent = `${here} of ${guests}`;
};
const showState = () => {
  const waiting = scans.length ? `${people(scans.length, "scan waits", "scans wait")} for the network. ` : "";
  if (isOver) say("");
  else if (isOffline) say(`Offline. ${waiting}${list ? `List of ${clock(list.saved)}.` : "No list on this device."}`);
  else say(isRunning ? "Hold the QR code of a ticket before the camera." : "");
};

// Counts while the page is seen, and the list of whom to expect.
const refresh = async () => {
  if (scans.length) await send();
  const count = await ask("count");
  if (count) showCount(count);
  if (count && canScan && !(list && Date.now() - list.saved < LIST_AGE)) {
    const answer = await ask("codes");
    const codes = answer?.items.map(({ hash, status, checked_in: isHere, party_size: size }) => [hash, `${isHere ? "here" : status}:${size}`]);
    if (codes) store(LIST, list = { saved: Date.now(), codes: Object.fromEntries(codes) });
  }
  if (list && isOld(list)) dropList();
  showState();
};
const poll = async () => {
  if (!document.hidden && !isOver) await refresh();
  setTimeout(poll, POLL);
};

// It stays after a stop: another one would have to load its decoder, perhaps without the network.
const canScan = Boolean(navigator.mediaDevices?.getUserMedia && crypto.subtle);
let camera = null, firstSearch = null, isRunning = false, lock = null, seen = "", seenAt = 0;
const isOn = () => sessionStorage.getItem(IS_ON) === "yes";
const wake = async () => {
  try {
    lock = await navigator.wakeLock?.request("screen");
  } catch {
    // The system may refuse it, for example to save the battery.
    lock = null;
  }
};
const stop = () => {
  camera?.stop();
  isRunning = false;
  lock?.release();
  view.parentElement.hidden = choice.parentElement.hidden = true;
  button.textContent = "Scan with the camera";
  sessionStorage.removeItem(IS_ON);
};
const onDecode = ({ data }) => {
  const isSame = data === seen && Date.now() - seenAt < SAME;
  [seen, seenAt] = [data, Date.now()];
  if (!isSame) take(data);
};
const newCamera = (QrScanner) => {
  firstSearch = new Promise((resolve, reject) => {
    const onFound = (code) => { resolve(); onDecode(code); };
    const onDecodeError = (error) => error === QrScanner.NO_QR_CODE_FOUND ? resolve() : reject(error);
    const preferredCamera = stored(CAMERA) ?? "environment";
    camera = new QrScanner(view, onFound, { preferredCamera, onDecodeError, maxScansPerSecond: 10, returnDetailedScanResult: true });
  });
};
const start = async () => {
  const { default: QrScanner } = await import(library);
  view.parentElement.hidden = false;
  if (!camera) newCamera(QrScanner);
  await camera.start();
  // Until a picture was searched, the decoder may still be on its way over the network.
  await firstSearch;
  isRunning = true;
  const [track] = view.srcObject.getVideoTracks();
  // The system took it away, as for a call on a phone.
  track.addEventListener("ended", () => { stop(); say("The camera stopped. Start it again."); });
  const used = track.getSettings().deviceId;
  if (used) store(CAMERA, used);
  const cameras = await QrScanner.listCameras();
  choice.replaceChildren(...cameras.map(({ id, label }) => new Option(label, id, false, id === used)));
  choice.parentElement.hidden = cameras.length < 2;
  sessionStorage.setItem(IS_ON, "yes");
  button.textContent = "Stop scanning";
  await wake();
};
const toggle = async () => {
  if (isRunning) {
    stop();
    return showState();
  }
  button.disabled = true;
  say("The camera is starting.");
  try {
    await start();
    await refresh();
  } catch {
    stop();
    camera?.destroy();
    camera = null;
    say("The camera can’t be used. Allow it in your browser, or type the code.");
  }
  button.disabled = false;
};

choice.addEventListener("change", async () => {
  await camera?.setCamera(choice.value);
  store(CAMERA, choice.value);
});
button.addEventListener("click", toggle);
document.addEventListener("visibilitychange", () => { if (!document.hidden && isRunning) wake(); });
addEventListener("online", refresh);
// Without the network the page comes back only where the browser can store it.
addEventListener("beforeunload", (leaving) => { if (isOffline && isRunning && !navigator.serviceWorker?.controller) leaving.preventDefault(); });
// While the network is away, a form would replace the page by the browser's error. A code that is typed is a scan, too.
const typed = document.querySelector("#q");
addEventListener("submit", (sending) => {
  if (!canScan || isOver || (navigator.onLine && !isOffline)) return;
  sending.preventDefault();
  if (sending.target === typed.form && codeIn(typed.value)) {
    take(typed.value);
    typed.value = "";
    return;
  }
  say("This needs the network. You can go on scanning codes.");
  part("state").scrollIntoView({ block: "nearest" });
});

if (canScan) {
  scanner.hidden = false;
  cachePage().catch(() => {});
  // After a form of the page was sent, for example.
  if (isOn()) {
    document.activeElement.blur();
    await toggle();
  }
}
showConflicts();
poll();
