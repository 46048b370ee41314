/** Servers and their keys: where they are stored, and who may read them. */
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readContexts, writeContexts } from "../../../src/client/input/contexts.ts";
import { readEnvironment } from "../../../src/client/input/environment.ts";
import { chooseServer } from "../../../src/client/service/server.ts";
import { loadConfig } from "../../../src/config/config.ts";
import { tempFolder } from "../../../src/testkit/service.ts";

const home = tempFolder();
const file = join(home, "deep", "contexts.json");
const environment = readEnvironment({ HOME: home, PATCHBAY_CLIENT_CONTEXTS_FILE: file });
const lab = { url: "https://lab.example:9000/", key: "pb_lab" };

test("the contexts file is readable by its owner only, or rejected", () => {
  expect(readContexts(file)).toEqual({ contexts: {} });
  writeContexts(file, { current: "lab", contexts: { lab } });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, "deep")).mode & 0o777).toBe(0o700);
  expect(readContexts(file)).toEqual({ current: "lab", contexts: { lab } });
  chmodSync(file, 0o640);
  expect(() => readContexts(file)).toThrow("mode is 0640");
  chmodSync(file, 0o600);
});

describe("the server of a call", () => {
  const key = join(home, "key");
  writeFileSync(key, "pb_file\n", { mode: 0o600 });

  test("is that of the current or named context", () => {
    const contexts = { current: "lab", contexts: { lab, unix: { url: "unix:/run/pb", key_file: key } } };
    const server = chooseServer({}, environment, contexts);
    expect([server.url, server.key.reveal()]).toEqual(["https://lab.example:9000", "pb_lab"]);
    const other = chooseServer({ context: "unix" }, environment, contexts);
    expect([other.unix, other.key.reveal()]).toEqual(["/run/pb", "pb_file"]);
    expect(() => chooseServer({ context: "lub" }, environment, contexts)).toThrow("Did you mean lab?");
  });

  test("never gets the key of a context if its URL is given", () => {
    const contexts = { current: "lab", contexts: { lab } };
    expect(() => chooseServer({ url: "https://else.example" }, environment, contexts)).toThrow("No API key");
    const explicit = chooseServer({ url: "https://else.example", keyFile: key }, environment, contexts);
    expect(explicit.key.reveal()).toBe("pb_file");
  });

  test("may have a key command, whose failure is reported", () => {
    const by = (key_command: string) =>
      chooseServer({}, environment, { current: "a", contexts: { a: { url: "http://a", key_command } } });
    expect(by("printf 'pb_%s\\n' word").key.reveal()).toBe("pb_word");
    expect(() => by("exit 7")).toThrow("ended with 7");
    expect(() => by("true")).toThrow("has no API key");
  });

  test.each(["ftp://x", "lab", "https://user:pw@x", "https://x?k=1"])("is rejected: %s", (url) => {
    expect(() => chooseServer({ url, keyFile: key }, environment, { contexts: {} })).toThrow(
      "is not a server",
    );
  });

  test("is rejected if its key file is readable by others", () => {
    const open = join(home, "open-key");
    writeFileSync(open, "pb_x\n", { mode: 0o644 });
    expect(() => chooseServer({ url: "http://a", keyFile: open }, environment, { contexts: {} })).toThrow(
      "others may read it",
    );
  });
});

describe("PATCHBAY_CLIENT_ variables", () => {
  test("are ignored by the service, and those of the service by the client", () => {
    const config = loadConfig({
      environment: { PATCHBAY_CLIENT_URL: "http://a", PATCHBAY_CLIENT_TYPO: "x" },
    });
    expect(config.origins.listen).toBe("default");
    expect(readEnvironment({ HOME: home, PATCHBAY_SLOTS: "5" }).url).toBeUndefined();
  });

  test("with a typo are rejected with a suggestion", () => {
    expect(() => readEnvironment({ HOME: home, PATCHBAY_CLIENT_KEYFILE: "x" })).toThrow(
      "did you mean PATCHBAY_CLIENT_KEY_FILE",
    );
  });

  test("default to the home folder of the caller", () => {
    expect(readEnvironment({ HOME: home }).contextsFile).toBe(`${home}/.config/patchbay/contexts.json`);
    expect(readEnvironment({ HOME: home, XDG_CONFIG_HOME: "/c" }).contextsFile).toBe(
      "/c/patchbay/contexts.json",
    );
  });
});

test("the contexts file is written atomically", () => {
  expect(existsSync(`${file}.${process.pid}.new`)).toBe(false);
  expect(readFileSync(file, "utf8")).toContain("pb_lab");
});
