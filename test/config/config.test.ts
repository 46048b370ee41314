/** Invalid settings are rejected by name, whatever their source; secrets are never quoted. */
import process from "node:process";
import { afterEach, expect, test } from "vitest";
import { patternProblem } from "../../src/base/net/host-pattern.ts";
import { loadConfig } from "../../src/config/config.ts";

const refused = (environment: Record<string, string>) => {
  try {
    loadConfig({ environment });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "accepted";
};

test.each([
  ["PATCHBAY_URL_DENY", "127.0.0.0/88", '"127.0.0.0/88" is not a CIDR range'],
  ["PATCHBAY_URL_ALLOW", "fine.example 10.0.0.0/33", '"10.0.0.0/33" is not a CIDR range'],
  ["PATCHBAY_URL_ALLOW", "http://x.example", "is not a CIDR range"],
  ["PATCHBAY_URL_DENY", "300.1.1.1", '"300.1.1.1" is not a host pattern'],
  ["PATCHBAY_LISTEN", "127.0.0.1:99999", "the port must be at most 65535"],
  ["PATCHBAY_LISTEN", "[::1]:70000", "the port must be at most 65535"],
  ["PATCHBAY_LISTEN", "9000", "must be <address>:<port>"],
  ["PATCHBAY_MASTER_KEY", "short", "must be 32 bytes as hex or base64"],
  ["PATCHBAY_MASTER_KEY", `${"ab".repeat(32)} nonsense`, "must be 32 bytes as hex or base64"],
  ["PATCHBAY_API_KEY", "with blank", "without blanks or line breaks"],
  ["PATCHBAY_API_KEY", "line\n", "without blanks or line breaks"],
  ["PATCHBAY_API_KEY", "schlüssel-schlüssel", "printable ASCII"],
  ["PATCHBAY_SLOT", "5", "there is no such setting; did you mean PATCHBAY_SLOTS"],
  ["PATCHBAY_NOTHING_LIKE_IT_AT_ALL", "5", "PATCHBAY_NOTHING_LIKE_IT_AT_ALL: there is no such setting"],
])("%s=%j is rejected", (name, value, why) => {
  const message = refused({ [name]: value });
  expect(message).toContain(name);
  expect(message).toContain(why);
  if (/KEY/.test(name)) expect(message).not.toContain(value);
});

test.each([
  ["PATCHBAY_URL_ALLOW", "127.0.0.0/8,[::1] fd00::/8 *.lab.example 10.1.* api_1.example 192.0.2.1 *"],
  ["PATCHBAY_LISTEN", "[::]:9000"],
  ["PATCHBAY_LISTEN", "unix:/run/patchbay/socket"],
  ["PATCHBAY_MASTER_KEY", `${"ab".repeat(32)},${Buffer.alloc(32, 7).toString("base64")}`],
  ["PATCHBAY_API_KEY", "any-printable;characters=are/fine"],
])("%s=%j is accepted", (name, value) => {
  expect(refused({ [name]: value })).toBe("accepted");
});

test.each([
  "",
  "10.0.0.0/08",
  "010.0.0.0/8",
  "10.0.0/8",
  "10.0.0",
  "1.2.3.4.5",
  "fd00::/129",
  "fd00::/8/8",
  "a..b",
  "-",
  "a b",
  "::ffff:300.1.1.1",
])("%j is rejected as a host pattern", (pattern) => {
  expect(patternProblem(pattern)).toContain(JSON.stringify(pattern));
});

afterEach(() => {
  delete process.env.PATCHBAY_MASTER_KEY;
  delete process.env.PATCHBAY_API_KEY;
});

test("times use one valid time zone, and an unknown one is rejected at start", () => {
  expect(loadConfig({ environment: {} }).timeZone).toBe("UTC");
  expect(loadConfig({ environment: { TZ: ":Europe/Berlin" } }).timeZone).toBe("Europe/Berlin");
  for (const TZ of [":/etc/localtime", "Mars/Base", "CET-1CEST,M3.5.0"])
    expect(() => loadConfig({ environment: { TZ } })).toThrow("TZ in the environment: is not a time zone");
  const { timeZone } = loadConfig();
  expect(process.env.TZ).toBe(timeZone);
});

test("secrets are removed from the environment after reading", () => {
  process.env.PATCHBAY_MASTER_KEY = "ab".repeat(32);
  process.env.PATCHBAY_API_KEY = "an-api-key-of-the-environment";
  const { values } = loadConfig();
  expect(values.master_key?.reveal()).toBe("ab".repeat(32));
  expect(process.env).not.toHaveProperty("PATCHBAY_MASTER_KEY");
  expect(process.env).not.toHaveProperty("PATCHBAY_API_KEY");
});

test.each([
  ["postgres://patchbay:canary@db.example/patchbay", false],
  ["postgres://patchbay:can,ary@one.example,two.example/patchbay", false],
  ["postgres://patchbay@db.example/patchbay?sslmode=verify-full", true],
  ["https://db.example:8080", true],
])("the URL of the database stays in the environment unless it has a password: %s", (url, stays) => {
  process.env.PATCHBAY_DATABASE_URL = url;
  try {
    expect(loadConfig().values.database_url).toBe(url);
    expect("PATCHBAY_DATABASE_URL" in process.env).toBe(stays);
  } finally {
    delete process.env.PATCHBAY_DATABASE_URL;
  }
});
