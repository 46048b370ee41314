/** Runs all tests; installs what they need first (with root), and says what is skipped without it. */
import process from "node:process";
import { prepareTestbed } from "./testbed/install.ts";

const missing = await prepareTestbed();
for (const one of missing) console.log(`skipped: ${one.tests} (${one.reason})`);
if (missing.length > 0 && process.env.CI === "true") {
  console.error("In CI nothing may be skipped.");
  process.exit(1);
}
const vitest = [
  "node_modules/vitest/vitest.mjs",
  "run",
  "--config",
  "test/vitest.config.ts",
  ...process.argv.slice(2),
];
const run = Bun.spawn([process.execPath, "--bun", ...vitest], {
  stdio: ["ignore", "inherit", "inherit"],
});
process.exit(await run.exited);
