/** Identity of this program: name, versions, schema, platform. */
import process from "node:process";
import { migrations } from "../../../migrations/index.ts";
import type { ProgramIdentity } from "../../api/admin/program.ts";
import { apiVersion, version } from "../../base/version.ts";
import { isCompiled, runtimeName } from "../../runtime/self.ts";

export function identity(): ProgramIdentity {
  return {
    name: "patchbay",
    version,
    api: apiVersion,
    schema: migrations.map(({ name }) => name),
    target: `${process.platform}-${process.arch}`,
    runtime: runtimeName,
    compiled: isCompiled,
  };
}
