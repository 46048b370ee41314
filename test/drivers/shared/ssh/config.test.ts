/** ssh_config parsing, compared with OpenSSH's own `ssh -G` if available, and what is rejected. */
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FilesKit } from "patchbay/plugin";
import { beforeEach, describe, expect, test } from "vitest";
import { lookUp, parseSshConfig } from "../../../../plugins/drivers/shared/ssh/config.ts";
import { findRoute } from "../../../../plugins/drivers/shared/ssh/route.ts";
import { needs } from "../../../../scripts/testbed/catalogue.ts";
import { run } from "../../../../scripts/testbed/run.ts";
import { createFilesKit } from "../../../../src/executor/kit/files-kit.ts";

let root: string;
let files: FilesKit;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "patchbay-ssh-config-"));
  files = createFilesKit({ transferRoots: [], keyRoots: [root] }, () => ({ limited: true }));
});
const write = (name: string, text: string) => {
  writeFileSync(join(root, name), text);
  return join(root, name);
};
const facts = async (text: string, host: string, given = {}) =>
  lookUp(await parseSshConfig("config", text, async () => []), host, given);
const route = (host: string, more: object = {}) =>
  findRoute(files, { configFile: "config", host, port: undefined, username: "", hops: [], ...more });

const example = `
# Servers of the branch offices
Host jump bastion-*
  HostName = 192.0.2.1
  Port 2222
Host "web 1" web?.branch !web9.branch
  User "deploy"
  hostname %h.example   # as it is called inside
  ProxyJump jump
  IdentityFile keys/%h_%r
Match originalhost web1.branch user deploy
  IdentityFile keys/second
Match host *.example !originalhost web2.branch
  Port 2200
Host db
  ProxyJump none
Host *
  User fallback
  Port 22
  ProxyJump first,second
`;

describe.skipIf(needs("openssh"))("ssh_config is read as by OpenSSH", () => {
  test.each(["jump", "bastion-7", "web1.branch", "web2.branch", "web9.branch", "db", "other", "WEB1.branch"])(
    "for the host %s",
    async (host) => {
      const path = write("config", example);
      const { stdout } = run(["ssh", "-G", "-F", path, host], { mustSucceed: true });
      const valuesOf = (word: string) =>
        stdout
          .split("\n")
          .flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
      const parsed = await facts(example, host);
      expect(parsed.hostName.toLowerCase()).toBe(valuesOf("hostname")[0]);
      expect(String(parsed.port)).toBe(valuesOf("port")[0]);
      expect(parsed.user).toBe(valuesOf("user")[0]);
      expect(parsed.proxyJump).toBe(valuesOf("proxyjump").filter((value) => value !== "none")[0]);
    },
  );
});

test("IdentityFile entries of all matching blocks apply in order, with tokens replaced", async () => {
  const { identityFiles } = await facts(example, "web1.branch");
  expect(identityFiles).toEqual(["keys/web1.branch.example_deploy", "keys/second"]);
});

test.each(["..", ".", "a/b"])(
  "the user name %j in a token cannot lead to another folder",
  async (username) => {
    await expect(facts("IdentityFile users/%r/key", "h", { username })).rejects.toThrow(
      "line 1: %r cannot be",
    );
  },
);

test("values of the request override ssh_config", async () => {
  expect(await facts(example, "web1.branch", { username: "root", port: 5 })).toMatchObject({
    user: "root",
    port: 5,
  });
});

test.each([
  ["Match exec", "Match exec /bin/true\n User x", "line 1: Match exec is not supported"],
  ["ProxyCommand", "Host *\nProxyCommand nc %h %p", "line 2: ProxyCommand is not supported"],
  ["an unknown token", "IdentityFile %C", "line 1: %C is not supported"],
  ["an invalid port", "Port 99999", "line 1: Port must be from 1 to 65535"],
  ["an unclosed quotation mark", 'User "x', "line 1: a quotation mark is missing"],
  ["a file that is not ssh_config", "Sesame", "line 1: a word has no value"],
  ["a keyword without a value", "HostName", "line 1: HostName has no value"],
])("%s in ssh_config is rejected with its line", async (_name, text, said) => {
  await expect(facts(text, "h")).rejects.toThrow(said);
});

test("ProxyJump may name several hosts, each with its own settings and jump hosts", async () => {
  write("key", "not read here");
  write(
    "config",
    `Host inner\n ProxyJump near,[2001:db8::1]:23\nHost near\n HostName near.example\n ProxyJump outer@far:2\n IdentityFile key\n IdentityFile absent\nHost *\n User all`,
  );
  expect(await route("inner")).toMatchObject({
    host: "inner",
    port: 22,
    username: "all",
    hops: [
      { host: "far", port: 2, username: "outer" },
      { host: "near.example", username: "all", key_filenames: [join(root, "key")] },
      { host: "2001:db8::1", port: 23, username: "all" },
    ],
  });
  const ownHops = [{ host: "mine" }];
  expect((await route("inner", { hops: ownHops })).hops).toEqual(ownHops);
});

test.each([
  ["in a loop", "Host a\n ProxyJump b\nHost b\n ProxyJump a\nHost *\n User u"],
  ["through itself", "Host *\n User u\n ProxyJump %h"],
  [
    "through nine hosts",
    `Host a\n User u\n ProxyJump ${Array.from({ length: 9 }, (_, at) => `h${at}`).join(",")}`,
  ],
  ["to an invalid host name", "Host a\n User u\n HostName -oProxyCommand=id"],
  ["through an invalid user name", 'Host a\n User "u\u0001"'],
])("a ProxyJump that leads %s is rejected", async (_name, text) => {
  write("config", text);
  await expect(route("a")).rejects.toMatchObject({ kind: "DriverError", detail: { outcome: "none" } });
});

test("a missing user is reported with ssh_config's name", async () => {
  write("config", "Host other\n User x");
  await expect(route("a")).rejects.toThrow(
    "connection_args.username is missing, and config has no User for a",
  );
});

test("Include reads files in the key folders, by pattern, in order, within its block", async () => {
  mkdirSync(join(root, "conf.d"));
  write("config", "Host a\n Include conf.d/*.conf absent.conf\nHost *\n User last");
  write("conf.d/2.conf", "User two\nPort 2");
  write("conf.d/1.conf", "Host a\n Port 1\nHost b\n Port 7");
  expect(await route("a")).toMatchObject({ port: 1, username: "two" });
  expect(await route("b")).toMatchObject({ port: 22, username: "last" });
});

test.each([
  ["a file in another folder", "Include /etc/passwd"],
  ["a path with ..", "Include ../../../../../../etc/passwd"],
  ["a link that leads out", "Include link"],
])("%s is not included", async (_name, text) => {
  symlinkSync("/etc/passwd", join(root, "link"));
  write("config", `Host *\n User u\n${text}`);
  await expect(route("a")).rejects.toThrow("line 3: Include");
  await expect(route("a", { configFile: "/etc/ssh/ssh_config" })).rejects.toMatchObject({
    kind: "Forbidden",
  });
});

test("an Include of itself is rejected", async () => {
  write("config", "Include config");
  await expect(route("a")).rejects.toThrow("includes too much");
});
