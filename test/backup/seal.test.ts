/** Sealed archives are those of the age format: another implementation opens ours, and we open its own. */
import { Decrypter, Encrypter } from "age-encryption";
import { expect, test } from "vitest";
import { opened, sealed } from "../../src/backup/seal.ts";

const passphrase = "correct horse battery";

async function* pieces(...all: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all;
}

async function whole(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(source));
}

/** As the library seals, quickly. */
async function byLibrary(text: string, cost = 10): Promise<Buffer> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  encrypter.setScryptWorkFactor(cost);
  return Buffer.from(await encrypter.encrypt(text));
}

test("the library opens what we seal, with scrypt's cost of age", async () => {
  const bytes = await whole(await sealed(pieces(Buffer.from("one "), Buffer.from("two")), passphrase));
  expect(bytes.toString("latin1")).toMatch(/^age-encryption\.org\/v1\n-> scrypt [\w+/]{22} 18\n/);
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  expect(await decrypter.decrypt(bytes, "text")).toBe("one two");
});

test("we open what the library seals, with any cost up to 20", async () => {
  for (const cost of [1, 9, 10, 14])
    expect((await whole(await opened(pieces(await byLibrary("text", cost)), passphrase))).toString()).toBe(
      "text",
    );
});

test.each([
  ["a higher cost", (head: string) => head.replace(/ 10\n/, " 21\n")],
  ["a cost that is no number", (head: string) => head.replace(/ 10\n/, " 0a\n")],
  ["a shorter salt", (head: string) => head.replace(/scrypt ./, "scrypt ")],
  ["a further argument", (head: string) => head.replace(/ 10\n/, " 10 x\n")],
  ["a second stanza", (head: string) => head.replace(/(-> scrypt .*\n.*\n)/, "$1$1")],
  ["another kind", (head: string) => head.replace("scrypt", "X25519")],
])("a head with %s is refused", async (_what, change) => {
  const bytes = await byLibrary("text");
  const changed = change(bytes.toString("latin1"));
  expect(changed).not.toBe(bytes.toString("latin1"));
  await expect(opened(pieces(Buffer.from(changed, "latin1")), passphrase)).rejects.toThrow(
    "The passphrase does not open this archive",
  );
});
