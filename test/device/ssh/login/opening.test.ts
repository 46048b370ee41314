/** A server's version line, fragmented and with preceding lines, and its algorithm offer. */
import { createServer, connect as dial, type Server as NetServer } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { secret } from "../../../../src/base/secrets/secret.ts";
import { openingLimitBytes, watchOpening } from "../../../../src/device/ssh/login/opening.ts";
import { Server } from "../../../../src/device/ssh/ssh2.ts";
import { makeKeyPair } from "../../../../src/testkit/simulator/hostkey.ts";
import { newSsh, scopeOf } from "../support.ts";

const lists = (names: string[]) =>
  names.map((name) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(name.length);
    return Buffer.concat([length, Buffer.from(name)]);
  });

function packet(payload: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(payload.length + 1 + 4);
  head[4] = 4;
  return Buffer.concat([head, payload, Buffer.alloc(4)]);
}

const kexInit = packet(
  Buffer.concat([
    Buffer.from([20]),
    Buffer.alloc(16, 7),
    ...lists([
      "curve25519-sha256,ext-info-s,kex-strict-s-v00@openssh.com",
      "ssh-ed25519,ssh-rsa",
      "aes128-ctr",
      "aes256-ctr",
      "hmac-sha1",
      "hmac-md5",
      "none",
      "zlib",
      "",
      "",
    ]),
    Buffer.alloc(5),
  ]),
);
const ignored = packet(Buffer.concat([Buffer.from([2]), ...lists(["noise"])]));
const first = Buffer.from("Authorised only\r\nSSH is not this\n\r\nSSH-2.0-Test_1 comment\r\n");
const stream = Buffer.concat([first, ignored, kexInit, Buffer.from("encrypted SSH-2.0 \r\n")]);

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [0, ...[...new Set(at)].sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, i) => bytes.subarray(places[i], end));
}

function portOf(server: Server | NetServer): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(address !== null && typeof address === "object" ? address.port : 0);
    });
  });
}

describe("the opening of an SSH server", () => {
  test("is parsed for any chunk boundaries: version line, then algorithm offer", () => {
    const places = fc.array(fc.integer({ min: 0, max: stream.length }), { maxLength: 60 });
    fc.assert(
      fc.property(places, (at) => {
        let lines = 0;
        const opening = watchOpening(() => lines++);
        const passed = cut(stream, at).flatMap((chunk) => opening.feed(chunk) ?? []);
        expect(Buffer.concat(passed).equals(stream)).toBe(true);
        expect(passed[0]?.includes(first)).toBe(true);
        expect(lines).toBe(1);
        expect(opening.software()).toBe("SSH-2.0-Test_1 comment");
        expect(opening.offer()).toEqual({
          kex: ["curve25519-sha256"],
          hostKey: ["ssh-ed25519", "ssh-rsa"],
          cipher: ["aes128-ctr"],
          mac: ["hmac-sha1"],
          compress: ["none"],
          strictKex: true,
        });
      }),
    );
  });

  test("may be any bytes: none cause an error or are lost", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }),
        fc.boolean(),
        (chunks, greets) => {
          const all = [...(greets ? [first] : []), ...chunks.map((chunk) => Buffer.from(chunk))];
          const opening = watchOpening(() => {});
          const passed = all.flatMap((chunk) => opening.feed(chunk) ?? []);
          if (greets) expect(Buffer.concat(passed).equals(Buffer.concat(all))).toBe(true);
          opening.otherWords();
          opening.offer();
        },
      ),
    );
  });

  test("is not buffered without limit if no algorithm offer follows", () => {
    const opening = watchOpening(() => {});
    opening.feed(first);
    const endless = packet(Buffer.alloc(30_000, 2));
    for (let sent = 0; sent < 2 * openingLimitBytes; sent += endless.length) opening.feed(endless);
    opening.feed(kexInit);
    expect(opening.offer()).toBeUndefined();
  });

  test("may arrive byte by byte, through a whole login", async () => {
    const { private: hostKey } = makeKeyPair();
    const server = new Server({ hostKeys: [hostKey], greeting: "one\r\ntwo" }, (session) => {
      session.on("error", () => {});
      session.on("authentication", (attempt) => attempt.accept());
    });
    const port = await portOf(server);
    const slow = createServer((near) => {
      const far = dial({ port, host: "127.0.0.1", noDelay: true });
      near.on("data", (chunk) => far.write(chunk));
      near.on("close", () => far.destroy());
      let queue = Promise.resolve();
      far.on("data", (chunk) => {
        for (const byte of chunk) {
          queue = queue.then(() => {
            near.write(Buffer.from([byte]));
            return new Promise((resolve) => setImmediate(resolve));
          });
        }
      });
    });
    const slowPort = await portOf(slow);
    try {
      const connection = await newSsh().connect(
        {
          host: "127.0.0.1",
          port: slowPort,
          username: "user",
          password: secret("x"),
          connectTimeoutMs: 20_000,
          profile: "modern",
          hostKeyPolicy: "auto_add",
        },
        scopeOf(),
      );
      expect(connection.software).toMatch(/^SSH-2\.0-/);
      await connection.close();
    } finally {
      slow.close();
      server.close();
    }
  });
});
