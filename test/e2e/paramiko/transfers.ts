/** A service with a transfer folder, and a server to transfer files to and from. */
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { run } from "../../../scripts/testbed/run.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

export const mib = 1024 * 1024;
export const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

export interface Transfers {
  readonly service: Service;
  readonly sshd: Sshd;
  /** The service's transfer folder, which contains `image.bin`. */
  readonly root: string;
  readonly image: Buffer;
  at(path: string, init?: RequestInit, key?: string): Promise<Response>;
  put(
    name: string,
    body: NonNullable<RequestInit["body"]>,
    more?: RequestInit,
    query?: string,
  ): Promise<Response>;
  /** The request body of a file transfer. */
  request(file_transfer: object, more?: object): object;
  move(file_transfer: object, more?: object): Promise<JobRecord>;
  /** Creates a file of the user on the server. */
  remote(name: string, bytes: Uint8Array): string;
  /** Creates a folder of the user on the server. */
  place(name: string): string;
  stop(): Promise<void>;
}

export async function startTransfers(): Promise<Transfers> {
  const root = join(tempFolder(), "files");
  mkdirSync(root);
  const image = randomBytes(24 * mib);
  writeFileSync(join(root, "image.bin"), image);
  const sshd = await startSshd();
  const service = await startService({
    env: { PATCHBAY_TRANSFER_ROOTS: root, PATCHBAY_MAX_FILE_MB: "96", PATCHBAY_MAX_FILES_MB: "400" },
  });
  const given = (path: string) => {
    run(["chown", sshd.user, path], { mustSucceed: true });
    return path;
  };
  const at: Transfers["at"] = (path, init = {}, key = service.key) =>
    fetch(service.url + path, { ...init, headers: { "X-API-KEY": key, ...init.headers } });
  const request = (file_transfer: object, more: object = {}) => ({
    driver: "paramiko",
    connection_args: { host: sshd.host, port: sshd.port, username: sshd.user, password: sshd.password },
    command: ["__FILE_TRANSFER__"],
    driver_args: { file_transfer, ...more },
  });
  return {
    service,
    sshd,
    root,
    image,
    at,
    put: (name, body, more = {}, query = "") =>
      at(`/file/${encodeURIComponent(name)}${query}`, { method: "PUT", body, ...more }),
    request,
    move: (file_transfer, more) => service.run(request(file_transfer, more)),
    remote(name, bytes) {
      const path = join(sshd.folder, name);
      writeFileSync(path, bytes);
      return given(path);
    },
    place(name) {
      const path = join(sshd.folder, name);
      mkdirSync(path);
      return given(path);
    },
    async stop() {
      await service.stop();
      await sshd.stop();
    },
  };
}

/** The output of a transfer in the result of its job. */
export function outputOf(job: JobRecord, operation: "upload" | "download"): unknown {
  return job.result?.retval?.[`file_transfer_${operation}`];
}
