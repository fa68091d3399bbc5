// An organizer's session with openapi-fetch, on types that openapi-typescript generated.
//
//     node by_openapi_fetch.js BASE_URL KEY
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

declare const process: { argv: string[] };

function check(holds: boolean, text: string): asserts holds {
  if (!holds) throw new Error(text);
}

async function main(baseUrl: string, key: string) {
  const muster = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

  const list = await muster.GET("/events", { params: { query: { limit: 3 } } });
  check(list.data?.items.length === 3, "no list");

  // Wall time, and only what has no default.
  const draft: components["schemas"]["CreateEventRequest"] = {
    title: "Made by openapi-fetch",
    description: "A generated client wrote this.",
    location: "127.0.0.1",
    start_date: "2031-05-14T19:00",
    timezone: "Europe/Berlin",
    end_date: null,
    image_query: "type",
    custom_fields: [{ label: "Diet", field_type: "text" }],
  };
  const created = await muster.POST("/events", { body: draft });
  check(created.data !== undefined, "not created");
  const { id, slug } = created.data;

  const published = await muster.POST("/me/events/{id}/publish", { params: { path: { id } } });
  check(published.data?.is_published === true, "not published");
  check(published.data.start_date === "2031-05-14T19:00:00+02:00", published.data.start_date);

  const guest = { name: "Ada Example", email: "ada@fetch.example" };
  const received = await muster.POST("/events/{slug}/registrations", { params: { path: { slug } }, body: guest });
  check(received.data?.email === guest.email, "not registered");

  const refused = await muster.POST("/events", { body: { ...draft, title: "x" } });
  const { code, message, details } = refused.error!.error;
  check(code === "INVALID_REQUEST" && message.startsWith("title must be"), message);
  check(details?.[0]?.field === "title", "no details");

  const cover = await muster.GET("/events/{slug}/cover", { params: { path: { slug } }, parseAs: "blob" });
  check(cover.data?.type === "image/png" && cover.data.size > 10_000, "no cover");

  const table = await muster.GET("/me/events/{id}/registrations.csv", { params: { path: { id } }, parseAs: "text" });
  check(table.data?.includes(guest.email) === true, "no table");
}

const [baseUrl, key] = process.argv.slice(2);
check(baseUrl !== undefined && key !== undefined, "usage: by_openapi_fetch.js BASE_URL KEY");
void main(baseUrl, key);
