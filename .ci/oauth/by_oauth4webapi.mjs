// oauth4webapi, which is strict about every answer and knows nothing of MCP: discovers from the resource, registers, gets tokens for
// the API and for MCP, calls tools, refreshes, asks for more, and revokes.
//
// usage: by_oauth4webapi.mjs BASE_URL DATA_FOLDER PYTHON PACKAGES_FOLDER
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [base, data, python, packages] = process.argv.slice(2);
const entry = join(packages, 'node_modules', 'oauth4webapi', 'build', 'index.js');
const oauth = await import(pathToFileURL(entry).href);
const person = join(dirname(fileURLToPath(import.meta.url)), 'person.py');
// The server of this test speaks plain HTTP.
const plain = { [oauth.allowInsecureRequests]: true };
const redirect = 'http://127.0.0.1:33420/callback';
const none = oauth.None();
const event = {
  title: 'Letterpress', description: 'By hand.', location: 'Mill Lane 3',
  start_date: '2031-05-14T19:00', timezone: 'Europe/London',
};
// Cores remember a token for a moment.
const remembered = () => new Promise((resolve) => setTimeout(resolve, 5_000));

async function discover(path) {
  const resource = new URL(base + path);
  let answer = await oauth.resourceDiscoveryRequest(resource, plain);
  const about = await oauth.processResourceDiscoveryResponse(resource, answer);
  const issuer = new URL(about.authorization_servers[0]);
  answer = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...plain });
  const server = await oauth.processDiscoveryResponse(issuer, answer);
  const metadata = { client_name: 'oauth4webapi', redirect_uris: [redirect] };
  answer = await oauth.dynamicClientRegistrationRequest(server, metadata, plain);
  const client = await oauth.processDynamicClientRegistrationResponse(answer);
  return { resource, server, client };
}

async function authorize({ resource, server, client }, scope) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint);
  url.search = new URLSearchParams({
    client_id: client.client_id, redirect_uri: redirect, response_type: 'code', state, scope,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256', resource: resource.href,
  });
  const led = new URL(execFileSync(python, ['-B', person, data, url.href], { encoding: 'utf8' }).trim());
  const parameters = oauth.validateAuthResponse(server, client, led, state);
  const answer = await oauth.authorizationCodeGrantRequest(server, client, none, parameters, redirect, verifier, plain);
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer);
  assert.deepEqual(new Set(tokens.scope.split(' ')), new Set(scope.split(' ')));
  return tokens;
}

async function refresh({ server, client }, tokens) {
  const answer = await oauth.refreshTokenGrantRequest(server, client, none, tokens.refresh_token, plain);
  return oauth.processRefreshTokenResponse(server, client, answer);
}

async function revoke({ server, client }, tokens) {
  await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, none, tokens.refresh_token, plain));
}

const ask = (tokens, method, url, headers, body) =>
  oauth.protectedResourceRequest(tokens.access_token, method, new URL(url), new Headers(headers), body, plain);

async function challenged(asked) {
  let challenge;
  await assert.rejects(asked, (error) => {
    assert.ok(error instanceof oauth.WWWAuthenticateChallengeError, String(error));
    assert.equal(error.cause[0].scheme, 'bearer');
    challenge = error.cause[0].parameters;
    return true;
  });
  return challenge;
}

async function api() {
  const found = await discover('/api/v1');
  const tokens = await authorize(found, 'account:read events:read');
  const me = (tokens) => ask(tokens, 'GET', `${base}/api/v1/me`);
  assert.equal((await (await me(tokens)).json()).email, 'demo@muster.example');
  const again = await refresh(found, tokens);
  assert.equal((await me(again)).status, 200);
  const create = (tokens) =>
    ask(tokens, 'POST', `${base}/api/v1/events`, { 'content-type': 'application/json' }, JSON.stringify(event));
  const challenge = await challenged(create(again));
  assert.equal(challenge.error, 'insufficient_scope');
  const wider = await authorize(found, challenge.scope);
  assert.ok((await (await create(wider)).json()).id);
  await revoke(found, again);
  await revoke(found, wider);
  await remembered();
  for (const ended of [again, wider]) {
    assert.equal((await challenged(me(ended))).error, 'invalid_token');
  }
}

function call(tokens, revision, name, input = {}) {
  const headers = {
    accept: 'application/json, text/event-stream', 'content-type': 'application/json', 'mcp-protocol-version': revision,
  };
  const params = { name, arguments: input };
  if (revision === '2026-07-28') {
    Object.assign(headers, { 'mcp-method': 'tools/call', 'mcp-name': name });
    const about = { protocolVersion: revision, clientInfo: { name: 'ci', version: '1' }, clientCapabilities: {} };
    params._meta = Object.fromEntries(Object.entries(about).map(([key, value]) => [`io.modelcontextprotocol/${key}`, value]));
  }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  return ask(tokens, 'POST', `${base}/mcp`, headers, JSON.stringify(message));
}

async function mcp(revision) {
  const found = await discover('/mcp');
  const tokens = await authorize(found, 'account:read');
  const account = async (tokens) => (await (await call(tokens, revision, 'get_account')).json()).result.structuredContent;
  assert.equal((await account(tokens)).email, 'demo@muster.example');
  const again = await refresh(found, tokens);
  assert.equal((await account(again)).email, 'demo@muster.example');
  const challenge = await challenged(call(again, revision, 'create_event', event));
  assert.equal(challenge.error, 'insufficient_scope');
  const wider = await authorize(found, challenge.scope);
  const created = await (await call(wider, revision, 'create_event', event)).json();
  assert.ok(created.result.structuredContent.id, JSON.stringify(created));
  await revoke(found, again);
  await revoke(found, wider);
  await remembered();
  for (const ended of [again, wider]) {
    assert.equal((await challenged(call(ended, revision, 'get_account'))).error, 'invalid_token');
  }
}

await api();
await mcp('2025-11-25');
await mcp('2026-07-28');
console.log('  oauth4webapi: discovered, registered, got tokens, called tools, refreshed, stepped up, revoked');
