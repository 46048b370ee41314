/** Which local files a driver may access, and for which key. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFilesKit } from "../../../src/executor/kit/files-kit.ts";
import { createTransferPlaces } from "../../../src/executor/kit/transfer-places.ts";
import { testContext } from "../../device/cli/test-context.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "patchbay-files-kit-"));
  await writeFile(join(root, "r1.cfg"), "hostname r1");
});
afterAll(() => rm(root, { recursive: true, force: true }));

const settings = () => ({ transferRoots: [root], keyRoots: [root] });

test("an unrestricted key may read and write files in the transfer folders", async () => {
  const files = createFilesKit(settings(), () => ({ limited: false }));
  expect(await files.localFile("r1.cfg", "read")).toMatch(/r1\.cfg$/);
  expect(await files.localFile("r2.cfg", "write")).toMatch(/r2\.cfg$/);
  expect(
    (await createTransferPlaces(settings(), () => ({ limited: false })).of(testContext())).roots,
  ).toEqual([root]);
});

test("a key limited to hosts may not access files in the transfer folders", async () => {
  const limited = () => ({ limited: true });
  const files = createFilesKit(settings(), limited);
  const refusal = {
    kind: "Forbidden",
    message: "This API key or person is limited to certain hosts, and files do not belong to a host.",
    detail: { outcome: "none" },
  };
  // The error does not reveal whether it exists.
  await expect(files.localFile("r1.cfg", "read")).rejects.toMatchObject(refusal);
  await expect(files.localFile("none.cfg", "read")).rejects.toMatchObject(refusal);
  await expect(files.localFile("r1.cfg", "write")).rejects.toMatchObject(refusal);
  await expect(files.localFolder(".", "read")).rejects.toMatchObject(refusal);
  // A driver may define its own path.
  await expect(createTransferPlaces(settings(), limited).of(testContext())).rejects.toMatchObject(refusal);
  expect(await files.keyFile("r1.cfg")).toMatch(/r1\.cfg$/);
});
