// Compiles every pattern of OpenAPI documents with the engines of those who read them: ECMA-262, with and without the flag u, and PCRE2.
//
//     node patterns.mjs DOCUMENT...
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

function patterns(node) {
  if (node === null || typeof node !== "object") return [];
  const own = typeof node.pattern === "string" ? [node.pattern] : [];
  return [...own, ...Object.values(node).flatMap(patterns)];
}

/** 1 says that nothing fits, 2 that the pattern is none. */
function isReadByPcre2(pattern) {
  const grep = spawnSync("grep", ["--perl-regexp", "--regexp", pattern, "/dev/null"], { env: { ...process.env, LC_ALL: "C.UTF-8" } });
  return grep.status === 1;
}

for (const path of process.argv.slice(2)) {
  const found = patterns(JSON.parse(readFileSync(path, "utf8")));
  if (found.length === 0) throw new Error(`${path} has no pattern`);
  for (const pattern of new Set(found)) {
    for (const flags of ["", "u"]) new RegExp(pattern, flags);
    if (!isReadByPcre2(pattern)) throw new Error(`${path}: PCRE2 cannot read ${pattern}`);
  }
  console.log(`${path.split("/").pop()}: ${found.length} patterns that ECMA-262 and PCRE2 read`);
}
