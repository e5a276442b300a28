// Writes the playground's editor as one file, and the licences of all that is in it. `npm ci && npm run build` in this folder.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const out = new URL("../../metalift/app/serve/templates/", import.meta.url);
const digest = (name) => createHash("sha256").update(readFileSync(name)).digest("hex");
const made = `/* CodeMirror and Lezer, bundled by scripts/editor; licences: editor-licences.md
   editor.js ${digest("editor.js")}
   package-lock.json ${digest("package-lock.json")} */`;

const bundled = await build({
  entryPoints: ["editor.js"],
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "Editing",
  target: "es2020",
  charset: "ascii",
  lineLimit: 500,
  legalComments: "none",
  banner: { js: made },
  outfile: new URL("editor.js", out).pathname,
  metafile: true,
});

const folders = Object.keys(bundled.metafile.inputs).map((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
const licences = [...new Set(folders.filter(Boolean))].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`));
  const text = readFileSync(`${folder}/${readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))}`, "utf8");
  return `## ${name} ${version} (${license})\n\n${text.trim()}\n`;
});
const head = "# Licences of what editor.js contains\n\n";
writeFileSync(new URL("editor-licences.md", out), head + licences.join("\n"));
