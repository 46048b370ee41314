/** Calls other than getters, made on a session. */
import type { Context } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import { commitOf, type QueryArgs } from "./args.ts";
import type { ControlCall } from "./calls.ts";
import type { Candidate } from "./candidate.ts";
import { complianceReport } from "./compliance.ts";
import { type ComplianceCheck, readValidation } from "./compliance-source.ts";
import type { SystemSession } from "./system.ts";

export interface Control {
  readonly session: SystemSession;
  readonly system: string;
  readonly candidate: Candidate;
  readonly args: QueryArgs;
  /** Calls a getter of the system. */
  ask(check: ComplianceCheck): Promise<unknown>;
}

export async function runControl(
  call: ControlCall,
  { session, system, candidate, args, ask }: Control,
  ctx: Context,
): Promise<unknown> {
  const { configuration } = session;
  switch (call.method) {
    case "cli":
      return runCli(call.args, session, system, ctx);
    case "is_alive":
      return { is_alive: await session.alive(ctx) };
    case "compliance_report":
      return complianceReport(readValidation(call.args.validation_source).checks, ask);
    case "load_merge_candidate":
      return candidate.load(call.args.config, false);
    case "load_replace_candidate":
      return candidate.load(call.args.config, true);
    case "compare_config":
      return candidate.compare(ctx);
    case "commit_config": {
      const options = commitOf(args);
      return candidate.commit(
        { message: call.args.message ?? options.message, revertIn: call.args.revert_in ?? options.revertIn },
        ctx,
      );
    }
    case "discard_config":
      return candidate.discard();
    case "rollback":
      if (configuration.rollback === undefined) throw lacks(system, call.method);
      return { rolled_back: true, output: await configuration.rollback(call.args.handle, ctx) };
    case "confirm_commit":
      if (configuration.confirm === undefined) throw lacks(system, call.method);
      return { confirmed: true, output: await configuration.confirm(call.args.handle, ctx) };
    case "has_pending_commit":
      if (configuration.pending === undefined) throw lacks(system, call.method);
      return (await configuration.pending(ctx)) !== undefined;
  }
}

async function runCli(
  { commands, encoding }: Extract<ControlCall, { method: "cli" }>["args"],
  session: SystemSession,
  system: string,
  ctx: Context,
): Promise<Record<string, unknown>> {
  if (encoding === "json" && session.cliJson === undefined)
    throw new PluginError("DriverError", `cli: the system ${system} supports only text (encoding).`, {
      outcome: "none",
    });
  const answers: Record<string, unknown> = {};
  for (const command of commands)
    answers[command] =
      encoding === "json" && session.cliJson !== undefined
        ? await session.cliJson(command, ctx)
        : await session.cli(command, ctx);
  return answers;
}

function lacks(system: string, method: string): PluginError {
  return new PluginError("DriverError", `The system ${system} does not support ${method}.`, {
    command: method,
    outcome: "none",
  });
}
