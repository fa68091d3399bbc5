// Conveniences. Every page works without them.
// Hours as the viewer's clocks show them, 7:00 PM where these count to twelve: the one way in which pages show times.
const countsToTwelve = new Intl.DateTimeFormat(undefined, { hour: "numeric" }).resolvedOptions().hour12;
const ofTwelve = (_, hour, minute) => `${hour % 12 || 12}:${minute} ${hour < 12 ? "AM" : "PM"}`;
const hours = (text) => countsToTwelve ? text.replace(/\b(\d\d):(\d\d)\b/g, ofTwelve) : text;
// For the script of the door.
globalThis.musterHours = hours;

const status = document.querySelector("[data-status]");
const say = (text) => { if (status) status.textContent = text; };

// Code to copy, in the pages for developers.
for (const code of document.querySelectorAll(".docs pre")) {
  const frame = document.createElement("div");
  frame.className = "copied";
  code.replaceWith(frame);
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "tool copy", textContent: "Copy", hidden: true });
  button.dataset.copy = code.textContent.trimEnd();
  frame.append(code, button);
}

for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      say("Copied.");
      const label = button.querySelector("span") ?? button;
      const before = label.textContent;
      label.textContent = "Copied";
      setTimeout(() => { label.textContent = before; }, 2000);
    } catch {
      say("Your browser did not allow copying.");
    }
  });
}

for (const button of document.querySelectorAll("[data-share]")) {
  if (!navigator.share) continue;
  button.hidden = false;
  button.addEventListener("click", () => {
    navigator.share({ title: button.dataset.title, url: button.dataset.share }).catch(() => {});
  });
}

// The time where the viewer is, if clocks there differ. The day only if it differs, too.
for (const element of document.querySelectorAll("[data-local]")) {
  const start = new Date(element.dataset.local);
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const day = (timeZone) => start.toLocaleDateString("en-GB", { timeZone, weekday: "long", day: "numeric", month: "long" });
  const time = (timeZone) => hours(start.toLocaleTimeString("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" }));
  try {
    const zone = element.dataset.zone;
    if (day(own) === day(zone) && time(own) === time(zone)) continue;
    element.textContent = day(own) === day(zone) ? `${time(own)} your time` : `${day(own)}, ${time(own)} your time`;
    element.hidden = false;
  } catch {
    // A zone that this browser does not know.
  }
}

// Times of the server's. Only the texts change, not what is around them.
for (const element of document.querySelectorAll("[data-clock]")) {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = hours(texts.currentNode.data);
}

// The time zone of this browser, which a new account gets.
for (const field of document.querySelectorAll("[data-timezone]")) {
  field.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
}

// Timestamps of an account, which is at no place, as clocks show them where the viewer is.
for (const element of document.querySelectorAll("[data-moment]")) {
  const at = new Date(element.dateTime);
  const day = at.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
  const time = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
  element.textContent = element.dataset.moment === "day" ? day : `${day}, ${hours(time)}`;
}

// A new event is most often in one's own zone.
for (const field of document.querySelectorAll("[data-own-zone]")) {
  field.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
}

// The account menu closes by Esc, and by a click elsewhere.
const menu = document.querySelector(".menu");
const close = (isOver) => { if (menu?.open && isOver) menu.open = false; };
addEventListener("click", ({ target }) => close(!menu?.contains(target)));
menu?.addEventListener("keydown", ({ key }) => {
  close(key === "Escape");
  if (key === "Escape") menu.firstElementChild.focus();
});

// A new event lasts two hours, unless something else is typed. Wall times need no zone: they are added as if they were in UTC.
const start = document.querySelector("form[action='/dashboard/events/new'] [name=start_date]");
start?.addEventListener("change", () => {
  const end = start.form.elements.end_date;
  if (!start.value || (end.value && end.value !== end.dataset.proposed)) return;
  const later = new Date(`${start.value}Z`);
  later.setUTCHours(later.getUTCHours() + 2);
  end.value = later.toISOString().slice(0, 16);
  end.dataset.proposed = end.value;
});

// Signing out removes what the door keeps on this device, also scans that wait for the network.
document.querySelector("form[action='/sign-out']")?.addEventListener("submit", (leaving) => {
  const waits = Object.keys(localStorage).some((key) => key.startsWith("muster-door-scans:") && localStorage[key] !== "[]");
  if (waits && !confirm("Some scans are not sent yet. Sign out and lose them?")) leaving.preventDefault();
});
