/** A service whose history is read and written as a person does it, with all places in which a secret could show. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type {
  ConfiguredDevice,
  DifferenceAnswer,
  RestoreDraft,
  VersionRecord,
} from "../../../src/api/history/history.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Service, tempFolder } from "../../../src/testkit/service.ts";

interface Login {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

export interface Kept {
  /** Adds a device, with its login stored under the same name. */
  add(name: string, login: Login, more: object): Promise<void>;
  /** Takes its configuration now. @returns the job, ended */
  take(name: string, parts?: readonly string[], more?: object): Promise<JobRecord>;
  /** The same; fails if no good text was read. */
  taken(name: string): Promise<VersionRecord>;
  /** Newest first. */
  versions(name: string): Promise<VersionRecord[]>;
  text(name: string, version?: number | "latest"): Promise<string>;
  device(name: string): Promise<ConfiguredDevice>;
  /** Lines that went and came between two versions; the last two by default. */
  changed(name: string, from?: number, to?: number): Promise<string[]>;
  restore(name: string, version: number): Promise<RestoreDraft>;
  /** Fails if one of these words shows in texts, jobs, search, Git, audit trail or log. */
  hides(name: string, secrets: readonly string[]): Promise<void>;
}

export function keptBy(service: Service): Kept {
  const get = async <T>(path: string): Promise<T> => {
    const { status, body } = await service.call<T>("GET", path);
    expect(status, `${path}: ${JSON.stringify(body)}`).toBe(200);
    return body.data;
  };
  const kept: Kept = {
    async add(name, { host, port, user, password }, more) {
      await service.call("PUT", `/credential/${name}`, { username: user, password });
      const credential = { name: "file", ref: name };
      const device = { name, host, port, driver: "netmiko", credential, ...more };
      const { status, body } = await service.call("POST", "/inventory/device", { devices: [device] });
      expect(status, JSON.stringify(body)).toBe(200);
    },
    async take(name, parts, more = {}) {
      const { status, body } = await service.call<{ bulk_id: string }>("POST", "/history/take", {
        device: name,
        ...(parts === undefined ? {} : { parts }),
        ...more,
      });
      expect(status, JSON.stringify(body)).toBe(200);
      const [job] = await get<{ id: string }[]>(`/job?bulk_id=${body.data.bulk_id}`);
      return service.ended(job?.id ?? "");
    },
    async taken(name) {
      const job = await kept.take(name);
      expect(job.status, JSON.stringify(job.result)).toBe("finished");
      const [newest] = await kept.versions(name);
      expect(newest?.reason).toBeNull();
      return newest as VersionRecord;
    },
    versions: (name) => get(`/history/device/${name}`),
    text: async (name, version = "latest") =>
      (await get<{ text: string }>(`/history/device/${name}/${version}`)).text,
    async device(name) {
      const devices = await get<ConfiguredDevice[]>("/history/device");
      const found = devices.find(({ device }) => device === name);
      if (found === undefined) throw new Error(`the history has no ${name}`);
      return found;
    },
    async changed(name, from, to) {
      const query = from === undefined ? "" : `?from=${from}&to=${to}`;
      const { unified = "" } = await get<DifferenceAnswer>(`/history/device/${name}/diff${query}`);
      return unified.split("\n").filter((line) => /^[+-](?!--|\+\+)/.test(line));
    },
    async restore(name, version) {
      const path = `/history/device/${name}/${version}/restore`;
      const { status, body } = await service.call<RestoreDraft>("POST", path, {});
      expect(status, JSON.stringify(body)).toBe(200);
      return body.data;
    },
    async hides(name, secrets) {
      const versions = await kept.versions(name);
      const shown = [
        ...(await Promise.all(versions.map(({ version }) => kept.text(name, version)))),
        JSON.stringify(
          await Promise.all([
            ...["/job?limit=100", "/audit?limit=100", `/history/device/${name}/blame`].map(get),
            ...versions.flatMap(({ job_id }) => (job_id === null ? [] : [get(`/job?id=${job_id}`)])),
            ...versions.slice(1).map(({ version }) => get(`/history/device/${name}/diff?from=${version}`)),
          ]),
        ),
        exported(await bundle(service)),
        service.output(),
      ].join("\n");
      for (const secret of secrets) {
        expect(shown, secret).not.toContain(secret);
        const found = await get(`/history/search?q=${encodeURIComponent(secret)}&scope=ever`);
        expect(found, secret).toEqual([]);
      }
    },
  };
  return kept;
}

async function bundle(service: Service): Promise<Buffer> {
  const answer = await fetch(`${service.url}/history/export.bundle`, {
    headers: { "X-API-KEY": service.key },
  });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

/** Every commit of an exported repository, with its lines. */
function exported(bundle: Buffer): string {
  const folder = tempFolder();
  writeFileSync(join(folder, "history.bundle"), bundle);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" });
  git("clone", "-q", "history.bundle", "clone");
  return git("-C", "clone", "log", "-p", "--all");
}
