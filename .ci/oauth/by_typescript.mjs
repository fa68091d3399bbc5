// The official TypeScript SDK as a client without a key, in both revisions: as by_python.py.
//
// usage: by_typescript.mjs BASE_URL DATA_FOLDER PYTHON PACKAGES_FOLDER
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [base, data, python, packages] = process.argv.slice(2);
const require = createRequire(pathToFileURL(join(packages, 'package.json')));
const { Client, StreamableHTTPClientTransport, UnauthorizedError } = require('@modelcontextprotocol/client');
const person = join(dirname(fileURLToPath(import.meta.url)), 'person.py');

class App {
  redirectUrl = 'http://127.0.0.1:33419/callback';
  clientMetadata = {
    client_name: 'TypeScript SDK',
    redirect_uris: ['http://127.0.0.1:33419/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  without = [];
  asked = 0;
  state() { return 'a state'; }
  clientInformation() { return this.client; }
  saveClientInformation(client) { this.client = client; }
  tokens() { return this.kept; }
  saveTokens(tokens) { this.kept = tokens; }
  invalidateCredentials(scope) {
    if (scope === 'tokens' || scope === 'all') this.kept = undefined;
    if (scope === 'discovery' || scope === 'all') this.discovered = undefined;
  }
  discoveryState() { return this.discovered; }
  saveDiscoveryState(discovered) { this.discovered = discovered; }
  codeVerifier() { return this.verifier; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  redirectToAuthorization(url) {
    this.asked += 1;
    const arguments_ = ['-B', person, data, url.href, ...this.without];
    const led = new URL(execFileSync(python, arguments_, { encoding: 'utf8' }).trim());
    assert.equal(led.searchParams.get('state'), 'a state');
    this.led = led.searchParams;
  }
}

async function connected(app, mode) {
  const open = () => new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { authProvider: app });
  const options = { versionNegotiation: { mode } };
  const client = new Client({ name: 'ci', version: '1' }, options);
  let transport = open();
  try {
    await client.connect(transport);
    return { client, transport };
  } catch (error) {
    assert.ok(error instanceof UnauthorizedError, String(error));
  }
  await transport.finishAuth(app.led);
  const again = new Client({ name: 'ci', version: '1' }, options);
  transport = open();
  await again.connect(transport);
  return { client: again, transport };
}

async function call(client, name, arguments_ = {}) {
  const result = await client.callTool({ name, arguments: arguments_ });
  assert.ok(!result.isError, JSON.stringify(result));
  return result.structuredContent;
}

async function session(mode) {
  const app = new App();
  app.without = ['events:write'];
  let { client, transport } = await connected(app, mode);
  assert.equal(app.asked, 1);
  assert.equal((await call(client, 'get_account')).email, 'demo@muster.example');
  assert.ok(!app.kept.scope.split(' ').includes('events:write'), app.kept.scope);

  // It asks for what is missing.
  app.without = [];
  const event = {
    title: 'Letterpress', description: 'By hand.', location: 'Mill Lane 3',
    start_date: '2031-05-14T19:00', timezone: 'Europe/London',
  };
  await assert.rejects(call(client, 'create_event', event), UnauthorizedError);
  assert.equal(app.asked, 2);
  await transport.finishAuth(app.led);
  assert.ok((await call(client, 'create_event', event)).id);
  const scopes = app.kept.scope.split(' ');
  assert.ok(scopes.includes('events:write') && scopes.includes('account:read'), app.kept.scope);

  // A token that is refused is refreshed, without a person.
  const before = app.kept;
  app.kept = { ...before, access_token: 'mus_at_not_any_more' };
  assert.equal((await call(client, 'get_account')).email, 'demo@muster.example');
  assert.notEqual(app.kept.refresh_token, before.refresh_token);
  assert.equal(app.asked, 2);

  const fields = new URLSearchParams({ token: app.kept.refresh_token, client_id: app.client.client_id });
  assert.equal((await fetch(`${base}/oauth/revoke`, { method: 'POST', body: fields })).status, 200);
  // Cores remember a token for a moment.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  await assert.rejects(call(client, 'get_account'), UnauthorizedError);
  assert.equal(app.asked, 3);
  await client.close();
  console.log(`  TypeScript SDK, ${mode.pin ?? mode}: connected, stepped up, refreshed, revoked`);
}

await session({ pin: '2026-07-28' });
await session('legacy');
