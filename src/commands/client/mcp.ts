/** `patchbay mcp`: the end point for agents over standard input and output, for clients that start a program. */
import process from "node:process";
import { createInterface } from "node:readline";
import type { Command } from "commander";
import { exitCodes } from "../../client/output/outcome.ts";
import { createBridge } from "../../client/service/mcp-bridge.ts";
import type { ServerFlags } from "../../client/service/server.ts";
import { clientCommand, openSession, runToExit, withServer } from "./parts/action.ts";

export function defineMcp(parent: Command): void {
  const command = clientCommand(
    parent,
    "mcp",
    "for agents that start a program: the tools of the service over standard input and output (MCP)",
  );
  withServer(command).action((flags: ServerFlags) =>
    runToExit(async (surroundings) => {
      const { api } = openSession(flags, surroundings);
      const bridge = createBridge(
        api,
        (line) =>
          new Promise((resolve, reject) =>
            process.stdout.write(`${line}\n`, (error) => (error ? reject(error) : resolve())),
          ),
      );
      for await (const line of createInterface({ input: process.stdin })) void bridge.take(line);
      await bridge.rest();
      return exitCodes.good;
    }),
  );
}
