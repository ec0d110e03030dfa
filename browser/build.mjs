// Writes pkm_identification/browser/assets/three.min.js and the licence it comes under.
import { build } from "esbuild";
import { readFile, copyFile } from "node:fs/promises";

const assets = "../pkm_identification/browser/assets";
const { version } = JSON.parse(await readFile("node_modules/three/package.json", "utf8"));
await build({
  entryPoints: ["three.entry.mjs"],
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "THREE",
  target: "es2020",
  charset: "ascii",
  legalComments: "none",
  banner: { js: `/*! three.js ${version}, parts of it (browser/build.mjs). MIT licence: three.LICENSE.txt. */` },
  outfile: `${assets}/three.min.js`,
});
await copyFile("node_modules/three/LICENSE", `${assets}/three.LICENSE.txt`);
