// Two changes by the requests that Postman makes of the document, with all headers that it switches on, by each of its ways to fill them in.
//
//     node by_postman.mjs DOCUMENT KEY    beside the packages, which it imports
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { convertV2 } = createRequire(import.meta.url)("openapi-to-postmanv2");
const [path, key] = process.argv.slice(2);

function converted(parametersResolution) {
  const input = { type: "string", data: readFileSync(path, "utf8") };
  return new Promise((resolve, reject) => {
    convertV2(input, { parametersResolution }, (error, result) => {
      if (error || !result.result) reject(error ?? new Error(result.reason));
      else resolve(result.output[0].data);
    });
  });
}

function request(collection, name) {
  const all = (items) => items.flatMap((item) => (item.item ? all(item.item) : [item]));
  return all(collection.item).find((item) => item.name === name).request;
}

async function send({ header, url }, base, body) {
  const switchedOn = header.filter((one) => !one.disabled).map((one) => [one.key, one.value]);
  const headers = { ...Object.fromEntries(switchedOn), authorization: `Bearer ${key}` };
  const answer = await fetch(`${base}/${url.path.join("/")}`, { method: "POST", headers, body: JSON.stringify(body) });
  assert.equal(answer.status, 200, await answer.clone().text());
  return answer.json();
}

for (const resolution of ["Example", "Schema"]) {
  const collection = await converted(resolution);
  const base = collection.variable.find((one) => one.key === "baseUrl").value;
  const create = request(collection, "Create an event");
  // By its schema, people fill in the body.
  const example = request(await converted("Example"), "Create an event").body.raw;
  const body = resolution === "Example" ? JSON.parse(create.body.raw) : JSON.parse(example);
  const made = [];
  for (const title of ["The first change", "The second change"]) {
    made.push(await send(create, base, { ...body, title }));
  }
  assert.notEqual(made[0].id, made[1].id);
  const headers = { authorization: `Bearer ${key}` };
  const event = await (await fetch(`${base}/me/events/${made[0].id}`, { headers })).json();
  assert.deepEqual([event.title, event.is_published], ["The first change", false]);
}
console.log("Postman: two changes by its defaults, and both are drafts");
