// oauth4webapi, which is strict about every answer and knows nothing of MCP: discovers from the resource, registers, gets tokens for
// REST, refreshes and revokes.
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
const resource = new URL(`${base}/api/v1`);

let answer = await oauth.resourceDiscoveryRequest(resource, plain);
const protectedBy = await oauth.processResourceDiscoveryResponse(resource, answer);
const issuer = new URL(protectedBy.authorization_servers[0]);
answer = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...plain });
const server = await oauth.processDiscoveryResponse(issuer, answer);
answer = await oauth.dynamicClientRegistrationRequest(server, { client_name: 'oauth4webapi', redirect_uris: [redirect] }, plain);
const client = await oauth.processDynamicClientRegistrationResponse(answer);
const none = oauth.None();

const verifier = oauth.generateRandomCodeVerifier();
const state = oauth.generateRandomState();
const url = new URL(server.authorization_endpoint);
url.search = new URLSearchParams({
  client_id: client.client_id, redirect_uri: redirect, response_type: 'code', state, scope: 'account:read events:read',
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256', resource: resource.href,
});
const led = new URL(execFileSync(python, ['-B', person, data, url.href], { encoding: 'utf8' }).trim());
const parameters = oauth.validateAuthResponse(server, client, led, state);
answer = await oauth.authorizationCodeGrantRequest(server, client, none, parameters, redirect, verifier, plain);
const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer);
assert.equal(tokens.scope, 'events:read account:read');

const ask = (token) => oauth.protectedResourceRequest(token, 'GET', new URL(`${base}/api/v1/me`), undefined, undefined, plain);
assert.equal((await (await ask(tokens.access_token)).json()).email, 'demo@muster.example');
answer = await oauth.refreshTokenGrantRequest(server, client, none, tokens.refresh_token, plain);
const again = await oauth.processRefreshTokenResponse(server, client, answer);
assert.equal((await ask(again.access_token)).status, 200);
answer = await oauth.revocationRequest(server, client, none, again.refresh_token, plain);
await oauth.processRevocationResponse(answer);
await new Promise((resolve) => setTimeout(resolve, 5_000));
await assert.rejects(ask(again.access_token), (error) => {
  assert.ok(error instanceof oauth.WWWAuthenticateChallengeError, String(error));
  assert.equal(error.cause[0].scheme, 'bearer');
  assert.equal(error.cause[0].parameters.error, 'invalid_token');
  return true;
});
console.log('  oauth4webapi: discovered, registered, got tokens, refreshed, revoked');
