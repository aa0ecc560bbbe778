// Writes package-lock.json for package.json: `node lock.js`. The lock names versions and hashes, and no addresses:
// npm takes the packages from whatever registry it is configured for.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const path = `${folder}package-lock.json`;

execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts"], { cwd: folder, stdio: "inherit" });
const lock = JSON.parse(readFileSync(path, "utf8"));
for (const entry of Object.values(lock.packages)) {
  delete entry.resolved;
  delete entry.funding;
}
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
