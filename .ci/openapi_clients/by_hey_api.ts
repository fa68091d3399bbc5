// An organizer's session with the client that @hey-api/openapi-ts generated.
//
//     node by_hey_api.js BASE_URL KEY
import {
  createEvent,
  exportRegistrations,
  getCover,
  listEvents,
  publishEvent,
  registerAttendee,
  type CreateEventRequest,
} from "./hey";
import { client } from "./hey/client.gen";
import { zCreateEventRequest } from "./hey/zod.gen";

declare const process: { argv: string[] };

function check(holds: boolean, text: string): asserts holds {
  if (!holds) throw new Error(text);
}

async function main(baseUrl: string, key: string) {
  client.setConfig({ baseUrl, auth: key });

  const list = await listEvents({ query: { limit: 3 } });
  check(list.data?.items.length === 3, "no list");

  const draft: CreateEventRequest = {
    title: "Made by hey-api",
    description: "A generated client wrote this.",
    location: "127.0.0.1",
    start_date: "2031-05-14T19:00",
    timezone: "Europe/Berlin",
    image_query: "type",
    custom_fields: [{ label: "Diet", field_type: "text" }],
  };
  check(zCreateEventRequest.safeParse(draft).success, "zod refuses the draft");
  check(!zCreateEventRequest.safeParse({ ...draft, title: "    " }).success, "zod takes a blank title");
  const created = await createEvent({ body: draft });
  check(created.data !== undefined, "not created");
  const { id, slug } = created.data;

  const published = await publishEvent({ path: { id } });
  check(published.data?.is_published === true, "not published");

  const guest = { name: "Ada Example", email: "ada@hey.example" };
  const received = await registerAttendee({ path: { slug }, body: guest });
  check(received.data?.email === guest.email, "not registered");

  const refused = await createEvent({ body: { ...draft, title: "x" } });
  const { code, message } = refused.error!.error;
  check(code === "INVALID_REQUEST" && message.startsWith("title must be"), message);

  const cover = await getCover({ path: { slug } });
  check(cover.data instanceof Blob && cover.data.size > 10_000, "no cover");

  const table = await exportRegistrations({ path: { id } });
  check(table.data?.includes(guest.email) === true, "no table");
}

const [baseUrl, key] = process.argv.slice(2);
check(baseUrl !== undefined && key !== undefined, "usage: by_hey_api.js BASE_URL KEY");
void main(baseUrl, key);
