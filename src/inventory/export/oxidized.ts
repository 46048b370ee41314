/** Writes Oxidized's router.db: one enabled device per line. */

import { invalid } from "../../base/issues.ts";
import { columnsOf, type OxidizedField, type OxidizedOptions } from "../import/oxidized.ts";
import { nameOfPlatform } from "../import/platforms.ts";
import type { EffectiveDevice } from "../port.ts";
import type { Exported } from "./entries.ts";

const ordinary = "name,ip,model,group";

/** @throws ServiceError Validation: a value contains the delimiter */
export function oxidizedLines(
  { devices }: Exported,
  { delimiter = ":", map = ordinary }: OxidizedOptions,
): string[] {
  const columns = columnsOf(map);
  return devices
    .filter(({ effective }) => effective.enabled)
    .map(({ effective }) => {
      const cells = columns.map((column) => cellOf(column, effective));
      if (cells.some((cell) => cell.includes(delimiter)))
        throw invalid(
          "delimiter",
          `stands in a value of ${effective.name}: name another one, such as delimiter=;`,
        );
      return `${cells.join(delimiter)}\n`;
    });
}

function cellOf(column: OxidizedField, device: EffectiveDevice): string {
  const { name, host, platform, group, connection, port } = device;
  const { username } = connection;
  const cells: Partial<Record<OxidizedField, string | null>> = {
    name,
    ip: host,
    model: platform && nameOfPlatform("oxidized", platform),
    group,
    username: typeof username === "string" ? username : "",
    port: port === null ? "" : String(port),
  };
  return cells[column] ?? "";
}
