/** Transfers with SFTP servers that can do little: what they lack is told, and no failure costs the old file. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import type { Connection } from "../../../src/device/ssh/connection.ts";
import type { TransferOptions } from "../../../src/plugin/kit/ssh.ts";
import { bytes, folder, freshLocal, hashOf, sha256, size, source } from "./files.ts";
import { type Quirks, type QuirkySftp, startQuirkySftp } from "./quirky-sftp.ts";
import { failure, newSsh, scopeOf, targetOf } from "./support.ts";

const old = Buffer.from("the old file");
const path = "/in/file";
const toPath: TransferOptions = {
  localPath: source,
  remotePath: path,
  by: "sftp",
  atomic: true,
  verify: true,
};

describe("an SFTP server that can do little", () => {
  let server: QuirkySftp;
  beforeAll(async () => {
    server = await startQuirkySftp();
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    server.files.clear();
    server.modes.clear();
    server.requests.length = 0;
    server.quirks = {};
  });

  async function withServer<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await newSsh().connect(targetOf(server), scopeOf());
    return work(connection).finally(() => connection.destroy());
  }
  async function upload(changes: Partial<TransferOptions> = {}, scope = scopeOf(60_000)) {
    const warnings: string[] = [];
    const options = { ...toPath, ...changes, onWarning: (text: string) => void warnings.push(text) };
    const sent = await withServer((connection) => connection.upload(options, scope));
    return { ...sent, warnings };
  }
  const contents = () =>
    Object.fromEntries([...server.files].map(([name, content]) => [name, hashOf(content)]));

  const lacking: [string, Quirks, string[]][] = [
    ["no FSETSTAT", { refuses: { FSETSTAT: "OP_UNSUPPORTED" } }, ["permissions"]],
    ["no sizes", { noSize: true }, ["size"]],
    ["no modes", { noMode: true }, []],
    ["no STAT", { refuses: { LSTAT: "PERMISSION_DENIED", STAT: "PERMISSION_DENIED" } }, ["exists"]],
    ["no FSTAT", { refuses: { FSTAT: "OP_UNSUPPORTED" } }, ["size"]],
    [
      "nothing about files",
      {
        refuses: {
          LSTAT: "PERMISSION_DENIED",
          STAT: "FAILURE",
          FSTAT: "PERMISSION_DENIED",
          FSETSTAT: "PERMISSION_DENIED",
        },
      },
      ["exists", "size"],
    ],
    ["renames that replace", { renameReplaces: true }, []],
  ];
  test.each(lacking)("%s: takes a file twice, and says what it lacks", async (_name, quirks, said) => {
    server.quirks = quirks;
    for (const turn of ["first", "second"]) {
      if (turn === "second") server.modes.set(path, 0o640);
      const { warnings, ...sent } = await upload();
      expect(sent, turn).toMatchObject({ bytesTransferred: size, totalBytes: size, sha256 });
      expect(contents()).toEqual({ [path]: sha256 });
      expect(warnings).toContainEqual(expect.stringContaining("fsync"));
      if (turn === "second")
        for (const word of said) expect(warnings).toContainEqual(expect.stringContaining(word));
    }
  });

  const reading: [string, Quirks][] = [
    ["no sizes", { noSize: true }],
    ["no modes", { noMode: true }],
    ["no STAT", { refuses: { STAT: "PERMISSION_DENIED" } }],
    ["short reads", { shortReads: 3000 }],
    ["short reads without sizes", { shortReads: 30_000, noSize: true }],
  ];
  test.each(reading)("%s: gives a file, whose size is told as it is", async (_name, quirks) => {
    server.files.set(path, bytes);
    server.quirks = quirks;
    const localPath = freshLocal();
    const options = { ...toPath, localPath, remotePath: path };
    const sent = await withServer((connection) => connection.download(options, scopeOf(60_000)));
    expect(sent).toMatchObject({ bytesTransferred: size, totalBytes: size, sha256 });
    expect(readFileSync(localPath).equals(bytes)).toBe(true);
    rmSync(localPath);
  });

  test("that reports a wrong size fails, unless nothing is to be verified", async () => {
    server.files.set(path, old);
    server.quirks = { wrongSize: 7 };
    const error = await failure(upload());
    expect(error.message).toContain(`has 7 bytes after the transfer, not ${size}`);
    expect(contents()).toEqual({ [path]: hashOf(old) });
    await upload({ verify: false });
    expect(contents()).toEqual({ [path]: sha256 });
  });

  /** Requests of an upload over an existing file. */
  async function steps(quirks: Quirks): Promise<number> {
    server.quirks = quirks;
    server.files.set(path, old);
    await upload({ localPath: small });
    const count = server.requests.length;
    server.requests.length = 0;
    server.files.clear();
    return count;
  }
  const small = `${folder}/small`;
  const isOneOf = (content: Buffer | undefined) =>
    content !== undefined && (content.equals(old) || content.equals(fresh));
  const fresh = Buffer.from("the new file, a little longer");

  test.each([false, true])(
    "however an upload fails, old or new file stands, and the next one finishes (replacing renames: %s)",
    async (renameReplaces) => {
      writeFileSync(small, fresh);
      const count = await steps({ renameReplaces });
      for (const how of ["refuse", "cut-before", "cut-after"] as const)
        for (let step = 0; step < count; step++) {
          server.files.clear();
          server.requests.length = 0;
          server.files.set(path, old);
          server.quirks = { renameReplaces, at: (_request, at) => (at === step ? how : undefined) };
          await upload({ localPath: small }).catch((error: unknown) => {
            expect(error).toBeInstanceOf(ServiceError);
          });
          const aside = [...server.files].find(([name]) => name.endsWith(".old"))?.[1];
          const label = `${how} at ${step}: ${server.requests.join(" ")}`;
          expect(isOneOf(server.files.get(path)) || aside?.equals(old) === true, label).toBe(true);
          if (how === "refuse") expect(isOneOf(server.files.get(path)), label).toBe(true);
          server.quirks = { renameReplaces };
          await upload({ localPath: small });
          expect(server.files.get(path)?.equals(fresh), label).toBe(true);
        }
    },
  );

  test("says what lies where if the old file cannot be put back", async () => {
    writeFileSync(small, fresh);
    server.files.set(path, old);
    let renames = 0;
    server.quirks = { at: (request) => (request === "RENAME" && ++renames !== 2 ? "refuse" : undefined) };
    const error = await failure(upload({ localPath: small }));
    const [aside, part] = ["old", "part"].map((end) =>
      [...server.files.keys()].find((name) => name.endsWith(end)),
    );
    expect(error.message).toContain(`the old one lies at ${aside}, the new one, complete, at ${part}`);
    expect(error.detail).toMatchObject({ reason: "NotPutBack", outcome: "unknown" });
    expect([server.files.get(aside ?? ""), server.files.get(part ?? "")]).toEqual([old, fresh]);
    server.quirks = {};
    const again = await upload({ localPath: small });
    expect(again.warnings).toContainEqual(expect.stringContaining("put back first"));
    expect(contents()).toEqual({ [path]: hashOf(fresh) });
  });

  test("a cancel between the two names does not stop the rest of the replacement", async () => {
    writeFileSync(small, fresh);
    for (const at of [1, 2, 3]) {
      server.files.clear();
      server.files.set(path, old);
      const scope = scopeOf(60_000);
      let renames = 0;
      server.quirks = {
        at(request) {
          if (request === "RENAME" && ++renames === at) scope.abort(new ServiceError("Cancelled", "by hand"));
          return undefined;
        },
      };
      await upload({ localPath: small }, scope).catch(() => {});
      await expect.poll(() => contents()).toEqual({ [path]: hashOf(fresh) });
    }
  });
});
