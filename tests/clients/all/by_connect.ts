// An organizer's session with Connect-ES, over gRPC and gRPC-web, on what buf generated.
//
//     node by_connect.ts CORE_URL KEY
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { CatalogueService } from "./gen/muster/v1/catalogue_pb.js";
import { EventService } from "./gen/muster/v1/event_pb.js";
import { RegistrationService } from "./gen/muster/v1/registration_pb.js";

function check(holds: boolean, text: string): asserts holds {
  if (!holds) throw new Error(text);
}

async function session(name: string, transport: Transport, key: string) {
  const headers = { Authorization: `Bearer ${key}` };
  const catalogue = createClient(CatalogueService, transport);
  const events = createClient(EventService, transport);
  const registrations = createClient(RegistrationService, transport);

  const list = await catalogue.listEvents({ limit: 3 });
  check(list.items.length === 3, "no list");
  const draft = {
    title: "Made by Connect",
    description: "A generated client wrote this.",
    location: "127.0.0.1",
    startDate: "2031-05-14T19:00",
    imageQuery: "type",
  };
  const { id, slug } = await events.createEvent(draft, { headers });
  const published = await events.publishEvent({ id }, { headers });
  check(published.isPublished, "not published");
  const email = `ada@${name}.example`;
  const received = await registrations.registerAttendee({ slug, name: "Ada Example", email });
  check(received.email === email, "not registered");

  const refusal = await events.createEvent({ ...draft, title: "x" }, { headers }).catch(ConnectError.from);
  check(refusal instanceof ConnectError && refusal.code === Code.InvalidArgument, "taken");
  check(refusal.rawMessage.startsWith("title must be"), refusal.rawMessage);

  // Files come in pieces.
  const cover: number[] = [];
  for await (const piece of catalogue.getCover({ slug })) cover.push(...piece.data);
  check(cover[1] === 0x50 && cover.length > 10_000, "no cover");
  let table = "";
  for await (const piece of registrations.exportRegistrations({ id }, { headers })) {
    table += new TextDecoder().decode(piece.data);
  }
  check(table.includes(email), "no table");
  console.log(`Connect-ES over ${name}: listed, created, published, registered, read a refusal, a cover and a table`);
}

const [baseUrl, key] = process.argv.slice(2);
check(baseUrl !== undefined && key !== undefined, "usage: by_connect.ts CORE_URL KEY");
await session("grpc", createGrpcTransport({ baseUrl }), key);
await session("grpc-web", createGrpcWebTransport({ baseUrl, httpVersion: "2" }), key);
await session("grpc-web-1", createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }), key);
process.exit(0);
