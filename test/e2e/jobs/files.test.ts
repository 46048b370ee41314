/**
 * The transfer folder over HTTP: upload, download, every refusal with its status, within the operator's
 * limits.
 */
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { run as runProgram } from "../../../scripts/testbed/run.ts";
import { hashOf, mib, startTransfers, type Transfers } from "../paramiko/transfers.ts";

const refusalOf = async (answer: Response) => [
  answer.status,
  ((await answer.json()) as { code: number }).code,
];

describe.skipIf(needs("openssh"))("files", () => {
  let bed: Transfers;
  beforeAll(async () => {
    bed = await startTransfers();
  });
  afterAll(() => bed.stop());

  test("uploads, downloads, lists and removes files", async () => {
    const stored = await bed.put("a/b.bin", bed.image.subarray(0, 5_000_000));
    expect(stored.status).toBe(201);
    expect(await stored.json()).toMatchObject({
      data: {
        name: "a/b.bin",
        size: 5_000_000,
        sha256: hashOf(bed.image.subarray(0, 5_000_000)),
        replaced: false,
      },
    });
    expect((await bed.put("a/b.bin", "short")).status).toBe(200);
    const got = await bed.at("/file/a%2Fb.bin");
    expect(got.headers.get("content-type")).toBe("application/octet-stream");
    expect(await got.text()).toBe("short");
    const whole = await bed.at("/file/image.bin");
    expect(whole.headers.get("x-file-size")).toBe(String(bed.image.length));
    expect(hashOf(new Uint8Array(await whole.arrayBuffer()))).toBe(hashOf(bed.image));
    const listed = await bed.service.call<{ name: string; size: number }[]>("GET", "/file");
    expect(listed.body.data).toContainEqual(expect.objectContaining({ name: "a/b.bin", size: 5 }));
    expect((await bed.service.call("DELETE", "/file/a%2Fb.bin")).status).toBe(200);
    expect(existsSync(join(bed.root, "a"))).toBe(false);
    expect(await refusalOf(await bed.at("/file/a%2Fb.bin"))).toEqual([404, -1]);
  });

  test("rejects bad requests with their status and leaves nothing behind", async () => {
    const before = readdirSync(bed.root);
    const large = new Uint8Array(97 * mib);
    expect(await refusalOf(await bed.put("large", large))).toEqual([413, -1]);
    let sent = 0;
    const pieces = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent === large.length) return controller.close();
        controller.enqueue(large.subarray(sent, sent + mib));
        sent += mib;
      },
    });
    const chunked = { duplex: "half" } as RequestInit;
    const cut = bed.put("large", pieces, chunked).then(
      ({ status }) => status,
      () => 413,
    );
    expect(await cut).toBe(413);
    const form = new FormData();
    form.set("file", new Blob(["x"]));
    expect(await refusalOf(await bed.put("form", form))).toEqual([415, -1]);
    expect(await refusalOf(await bed.put("a/../../x", "x"))).toEqual([422, -1]);
    expect(await refusalOf(await bed.put(".x", "x"))).toEqual([422, -1]);
    expect(await refusalOf(await bed.put("x", "x", {}, `?sha256=${"0".repeat(64)}`))).toEqual([422, -1]);
    expect(await refusalOf(await bed.put("image.bin", "x", {}, "?overwrite=false"))).toEqual([422, -1]);
    expect(
      await refusalOf(await bed.at("/file/image.bin", { method: "PUT", body: "x" }, "wrong-key")),
    ).toEqual([403, -1]);
    symlinkSync("/etc/passwd", join(bed.root, "link"));
    expect(await refusalOf(await bed.at("/file/link"))).toEqual([403, -1]);
    runProgram(["rm", join(bed.root, "link")], { mustSucceed: true });
    expect(readdirSync(bed.root)).toEqual(before);
  });

  test("limits the total size, without holding files in memory", async () => {
    const most = 90 * mib;
    const body = new Uint8Array(most);
    const statuses: number[] = [];
    const memory = () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${bed.service.child.pid}/status`, "utf8"))?.[1]) *
      1024;
    const before = memory();
    for (let n = 0; n < 5; n++) statuses.push((await bed.put(`fill-${n}`, body)).status);
    expect(statuses).toEqual([201, 201, 201, 201, 507]);
    await Promise.all(
      Array.from({ length: 4 }, async (_, n) => {
        for await (const _piece of (await bed.at(`/file/fill-${n}`)).body ?? []);
      }),
    );
    // Less than the stored files; when garbage is collected depends on the machine.
    await expect.poll(() => memory() - before, { timeout: 60_000, interval: 500 }).toBeLessThan(4 * most);
    const down = await bed.move({
      operation: "download",
      local_path: "more.bin",
      remote_path: bed.remote("more.bin", bed.image.subarray(0, 20 * mib)),
    });
    expect(down.result?.error?.message).toContain("PATCHBAY_MAX_FILES_MB");
    for (let n = 0; n < 4; n++) await bed.service.call("DELETE", `/file/fill-${n}`);
    expect(readdirSync(bed.root)).toEqual(["image.bin"]);
  });
});
