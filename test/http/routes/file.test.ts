/** The file routes: concurrency, calls to the folder, and responses. */
import { expect, test } from "vitest";
import type { Files, PutOptions } from "../../../src/files/port.ts";
import { createAdmission } from "../../../src/limits/admission.ts";
import { createApp, keys, noFiles } from "../doubles/fixtures.ts";

const stored = { name: "x", size: 3, modified_at: "2026-11-22T00:00:00.000+00:00", sha256: "0".repeat(64) };

test("allows 16 file requests per key at once; one that ends frees its slot", async () => {
  const admission = createAdmission();
  const waiting: (() => void)[] = [];
  const put: Files["put"] = async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return { ...stored, replaced: false };
  };
  const { send } = createApp({}, { files: { ...noFiles, put }, admission });
  const open = () => send("/file/x", { method: "PUT", body: new Uint8Array(3) });
  const all = Array.from({ length: 16 }, open);
  await expect.poll(() => waiting.length).toBe(16);
  const refused = await open();
  expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "1"]);
  waiting[0]?.();
  expect((await all[0])?.status).toBe(201);
  expect(admission.files.held()).toBe(15);
  for (const end of waiting) end();
  await Promise.all(all);
  expect(admission.files.held()).toBe(0);
});

test("passes file parameters on, and rejects forms and compressed bodies", async () => {
  const asked: PutOptions[] = [];
  const put: Files["put"] = async (_name, _body, options) => {
    asked.push(options);
    return { ...stored, replaced: true };
  };
  const { send } = createApp({}, { files: { ...noFiles, put } });
  const sending = (headers: Record<string, string>) => ({ method: "PUT", body: new Uint8Array(3), headers });
  const hash = "A".repeat(64);
  expect(
    (await send(`/file/a%2Fb?overwrite=false&sha256=${hash}`, sending({ "content-length": "3" }))).status,
  ).toBe(200);
  expect(asked[0]).toMatchObject({ size: 3, overwrite: false, sha256: hash.toLowerCase() });
  expect((await send("/file/x?sha256=12", sending({}))).status).toBe(422);
  expect((await send("/file/x", sending({ "content-type": "multipart/form-data; boundary=x" }))).status).toBe(
    415,
  );
  expect((await send("/file/x", sending({ "content-encoding": "gzip" }))).status).toBe(415);
  expect((await send("/file/x", { key: keys.read })).status).toBe(403);
  expect(asked).toHaveLength(1);
});
