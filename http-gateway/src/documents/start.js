// Shows the OpenAPI document with an introduction, and with samples in TypeScript, of which Scalar has none.

const read = async (path) => {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}`);
  return answer;
};

const described = await (await read("/api/v1/openapi.json")).json();
const introduction = await (await read("/docs/introduction.txt")).text();
// The page may call its own origin only, which may have another name than the public URL, for example on this machine.
const base = location.origin + new URL(described.servers?.[0]?.url ?? "/api/v1", location.href).pathname.replace(/\/$/, "");
described.servers = [{ url: base }];
described.info.description = introduction
  .replaceAll("{about}", described.info.description ?? "")
  .replaceAll("{base}", base)
  .replaceAll("{origin}", location.origin);

const resolved = (schema) =>
  schema?.$ref ? schema.$ref.slice(2).split("/").reduce((place, name) => place[name], described) : schema;

// Examples of parameters that may be left out would only narrow what the first call finds.
const withoutExamples = (parameter) => {
  if (parameter.required || parameter.$ref) return parameter;
  const { example, examples, schema, ...rest } = parameter;
  const { examples: unused, ...type } = schema ?? {};
  return { ...rest, schema: type };
};

const exampleBody = (method, media) => {
  const whole = media.example ?? resolved(media.schema)?.examples?.[0];
  if (method !== "patch" || !whole) return whole;
  // A change of one field is the usual one.
  const [field] = Object.keys(whole);
  return { [field]: whole[field] };
};

const inTypeScript = (method, path, operation, body) => {
  const filled = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === "path")
    .reduce((url, { name, example }) => url.replace(`{${name}}`, example ?? name), path);
  const isOpen = operation.security?.length === 0;
  const headers = [
    ...(isOpen ? [] : ["    Authorization: `Bearer ${process.env.KEY}`,"]),
    ...(body ? ['    "Content-Type": "application/json",'] : []),
  ];
  const options = [
    ...(method === "get" ? [] : [`  method: "${method.toUpperCase()}",`]),
    ...(headers.length ? ["  headers: {", ...headers, "  },"] : []),
    ...(body ? [`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll("\n", "\n  ")}),`] : []),
  ];
  const call = options.length ? `, {\n${options.join("\n")}\n}` : "";
  return (
    `const answer = await fetch("${base}${filled}"${call});\n` +
    "if (!answer.ok) throw new Error(await answer.text());\n"
  );
};

for (const [path, item] of Object.entries(described.paths)) {
  for (const [method, operation] of Object.entries(item)) {
    if (!operation.responses) continue;
    operation.parameters = operation.parameters?.map(withoutExamples);
    const media = operation.requestBody?.content?.["application/json"];
    const body = media && exampleBody(method, media);
    if (body) media.example = body;
    operation["x-codeSamples"] = [
      { lang: "typescript", label: "TypeScript", source: inTypeScript(method, path, operation, body) },
    ];
  }
}

Scalar.createApiReference("#reference", {
  content: described,
  // Everything comes from this origin, and nothing is sent elsewhere.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  defaultOpenAllTags: true,
  persistAuth: true,
  authentication: { preferredSecurityScheme: "bearer" },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  // Besides TypeScript: curl and Python.
  hiddenClients: {
    c: true, clojure: true, csharp: true, dart: true, fsharp: true, go: true, http: true, java: true, js: true, kotlin: true,
    node: true, objc: true, ocaml: true, php: true, powershell: true, r: true, ruby: true, rust: true, swift: true,
    shell: ["wget", "httpie"], python: ["httpx_sync", "httpx_async", "python3", "aiohttp"],
  },
});
