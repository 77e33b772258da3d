// Makes the page without data: program and style are put into src/page.html.
//
//   node build.mjs            writes ../crates/cli/assets/report.html
//   node build.mjs --check    says whether what is there is what the sources make, and writes nothing

import { build } from "esbuild";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const target = here("../crates/cli/assets/report.html");

async function bundle(entry, loader) {
  const result = await build({
    entryPoints: [here(entry)],
    bundle: true,
    minify: true,
    write: false,
    // The same bytes wherever the project lies.
    absWorkingDir: here("."),
    charset: "utf8",
    format: "iife",
    target: ["es2022", "chrome110", "firefox110", "safari16"],
    legalComments: "inline",
    loader,
    logLevel: "warning",
  });
  return result.outputFiles[0].text.trim();
}

// A script ends at the first `</script`, wherever it stands.
const program = (await bundle("src/main.ts", { ".ts": "ts" })).replace(/<\/script/gi, "<\\/script");
const style = await bundle("src/style.css", { ".css": "css" });

// What the page was made from, so that a machine without Node can tell whether it is of these sources: FNV-1a over the files.
const sources = ["build.mjs", "package-lock.json", ...(await readdir(here("src"))).sort().map((name) => `src/${name}`)];
let hash = 0xcbf29ce484222325n;
for (const name of sources) {
  for (const byte of await readFile(here(name))) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
}

const page = (await readFile(here("src/page.html"), "utf8"))
  .replace("{{sources}}", hash.toString(16).padStart(16, "0"))
  .replace("{{style}}", () => style)
  .replace("{{program}}", () => program);

if (process.argv.includes("--check")) {
  const there = await readFile(target, "utf8").catch(() => "");
  if (there !== page) {
    console.error("crates/cli/assets/report.html is not what report/ makes: run `npm ci && node build.mjs` in report/");
    process.exit(1);
  }
  console.log(`crates/cli/assets/report.html is what report/ makes (${page.length} characters)`);
} else {
  await writeFile(target, page);
  console.log(`crates/cli/assets/report.html: ${page.length} characters`);
}
