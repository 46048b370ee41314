/** The order in which test files start: those that take longest first, so that none of them runs alone at the end. */
import { existsSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** From `bun run test --times`. They mostly wait: for devices, delays of real servers, and killed nodes. */
const longest = [
  "test/changes/kills.test.ts",
  "test/e2e/console/console-journeys.test.ts",
  "test/e2e/console/console-steady.test.ts",
  "test/e2e/changes/changes-kills.test.ts",
  "test/e2e/history/history-nodes.test.ts",
  "test/e2e/schedules/schedules-kills.test.ts",
  "test/e2e/store/failover.test.ts",
  "test/e2e/store/move.test.ts",
  "test/e2e/console/console-changes.test.ts",
  "test/e2e/jobs/abuse.test.ts",
  "test/e2e/drivers/platforms.test.ts",
  "test/e2e/store/chaos.test.ts",
  "test/e2e/appliance/appliance.test.ts",
  "test/e2e/console/console-bulk.test.ts",
  "test/testkit/drivers.test.ts",
  "test/e2e/recipes/template-share.test.ts",
  "test/testkit/transcripts.test.ts",
  "test/e2e/napalm/napalm-recorded.corpus.test.ts",
  "test/e2e/drivers/stuck-drivers.test.ts",
  "test/e2e/jobs/events-kills.test.ts",
  "test/e2e/schedules/schedules-kills.test.ts",
  "test/e2e/client/client.test.ts",
  "test/store/libsql/directory-identity.test.ts",
  "test/e2e/console/console.test.ts",
  "test/dispatch/crash.test.ts",
  "test/device/cli/real-shells.test.ts",
  "test/e2e/plugins/plugin-crash.test.ts",
  "test/e2e/paramiko/paramiko-detached.test.ts",
  "test/e2e/jobs/faults.test.ts",
  "test/e2e/paramiko/paramiko-shells.test.ts",
  "test/e2e/address.test.ts",
  "test/e2e/appliance/start.test.ts",
  "test/device/ssh/quirky-servers.test.ts",
  "test/device/ssh/login/auth.test.ts",
  "test/e2e/papers/tour.test.ts",
  "test/e2e/drivers/pyeapi.test.ts",
  "test/e2e/paramiko/paramiko-sudo.test.ts",
  "test/e2e/client/first-command.test.ts",
  "test/pool/pool.test.ts",
  "test/http/socket.test.ts",
  "test/device/cli/command-end.test.ts",
  "test/drivers/napalm/ios/configuration.test.ts",
  "test/device/cli/ways-up.test.ts",
  "test/dispatch/wan-down.test.ts",
  "test/device/cli/late-echo.test.ts",
  "test/device/cli/where-it-stands.test.ts",
  "test/drivers/napalm/change.test.ts",
  "test/device/cli/text-blocks.test.ts",
  "test/drivers/napalm/nxos-ssh/configuration.test.ts",
  "test/e2e/papers/promises.test.ts",
  "test/e2e/appliance/backup.test.ts",
];
for (const file of longest)
  if (!existsSync(file)) throw new Error(`order.ts names ${file}, which does not exist`);

/**
 * A worker goes on with the next file if that is of the same project, and ends otherwise. Small files come last, so that
 * the workers end together.
 */
const projects = ["waiting", "alone", "mocking", "sharing"];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const at = longest.indexOf(relative(".", moduleId));
      return projects.indexOf(project.name) * (longest.length + 1) + (at < 0 ? longest.length : at);
    };
    // Stable: within a rank, the order of Vitest stays.
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
