/** Test suite for credential sources: returns secrets, reports missing ones, and leaks none. */
import { strict as assert } from "node:assert";
import type { JobRecord } from "../api/jobs/job.ts";
import type { CredentialPlugin } from "../plugin/credential.ts";
import { type Case, shown } from "./case.ts";
import { assertNoSecret, assertNoSecretKept } from "./leaks.ts";
import type { Service } from "./service.ts";

export interface CredentialSuiteOptions {
  readonly plugin: CredentialPlugin;
  service(): Service;
  /** An operation with this reference in `connection_args.credential`; it finishes if the secret is right. */
  job(reference: object): object;
  /** Content of `connection_args.credential` besides `name`. */
  readonly right: object;
  /** A reference to a secret that does not exist. */
  readonly missing: object;
  /** A reference that the schema rejects. */
  readonly malformed: object;
  /** The returned secrets, and those that the source itself needs. */
  readonly secrets: readonly string[];
}

export function credentialSuite(options: CredentialSuiteOptions): Case[] {
  const { plugin, service, secrets } = options;
  const jobs: JobRecord[] = [];
  const bodyOf = (reference: object) => options.job({ name: plugin.name, ...reference });
  const run = async (reference: object) => {
    const record = await service().run(bodyOf(reference));
    jobs.push(record);
    return record;
  };
  return [
    {
      name: "a credential opens the device",
      async run() {
        const job = await run(options.right);
        assert.equal(job.status, "finished", shown(job));
      },
    },
    {
      name: "an unknown reference fails the job with a reason before the device is contacted",
      async run() {
        const job = await run(options.missing);
        assert.equal(job.status, "failed", shown(job));
        assert.ok(job.result?.error?.message, shown(job));
        assert.equal(job.result?.error?.outcome, undefined, shown(job));
      },
    },
    {
      name: "a malformed reference is rejected with its field",
      async run() {
        const answer = await service().call("POST", "/device/execute", bodyOf(options.malformed));
        assert.equal(answer.status, 422, shown(answer.body));
        assert.match(JSON.stringify(answer.body), /connection_args\.credential/);
      },
    },
    {
      name: "no secret is returned or stored",
      async run() {
        assertNoSecret("a job", JSON.stringify(jobs), secrets);
        assertNoSecretKept(service(), secrets);
      },
    },
  ];
}
