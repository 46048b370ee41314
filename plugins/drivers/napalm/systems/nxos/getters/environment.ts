/** get_environment: power, fans, temperature, CPU load and memory. */
import { decimal, integer, rounded } from "../../../common/numbers.ts";
import type { Environment } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";
import { isRow, type Row } from "../../nxos-common/tables.ts";
import { fieldLike, rawOf, rowsOf, textOf } from "../rows.ts";

export const getEnvironment: Getter<NxosDevice, "get_environment"> = async (device) => {
  const environment = await device.json("show environment");
  return {
    power: powerOf(fieldLike(environment, "powersup")),
    fans: fansOf(fieldLike(environment, "fandetails")),
    temperature: temperatureOf(environment),
    cpu: cpuOf(await device.json("show processes cpu")),
    memory: memoryOf(await device.json("show processes memory shared")),
  };
};

/** With one table per supply, supplies are numbered in order; a single table contains their numbers. */
function powerOf(supplies: unknown): Environment["power"] {
  const inTables = Array.isArray(fieldLike(supplies, "TABLE_psinfo"));
  return Object.fromEntries(
    rowsOf(supplies, "psinfo").map((row, index) => [
      (inTables ? "" : textOf(row, "psnum")) || String(index + 1),
      {
        status: (rawOf(row, statusField(row, inTables)) ?? "ok").toLowerCase() === "ok",
        output: decimal(rawOf(row, "watts") ?? firstWord(row, "actual_out"), -1),
        capacity: capacityOf(row),
      },
    ]),
  );
}

/** Like NAPALM: `ps_status_3k` counts only in separate tables; a supply without a status is considered good. */
function statusField(row: Row, inTables: boolean): string {
  const found = inTables ? Object.keys(row).find((name) => name.startsWith("ps_status")) : undefined;
  return found ?? "ps_status";
}

/** `107` of `107 W`. */
function firstWord(row: Row, field: string): string | undefined {
  return /^\S+/.exec(textOf(row, field))?.[0];
}

/** Derives a missing capacity from the model: `NXA-PAC-500W`. */
function capacityOf(row: Row): number {
  const model = textOf(row, "psmodel");
  const capacity = firstWord(row, "tot_capa") ?? model.split("-").at(-1)?.slice(0, -1);
  return decimal(capacity, undefined) ?? decimal(/(\d+)W/.exec(model)?.[1], -1);
}

/** Leaves out fans of power supplies. */
function fansOf(details: unknown): Environment["fans"] {
  const fans = rowsOf(details, "faninfo").filter((row) => !textOf(row, "fanname").includes("PS"));
  return Object.fromEntries(
    fans.map((row) => [rawOf(row, "fanname") ?? "", { status: (rawOf(row, "fanstatus") ?? "Ok") === "Ok" }]),
  );
}

/** NAPALM's numbering: sensors of the first module are numbered; in other modules each is the first of its name. */
function temperatureOf(environment: unknown): Environment["temperature"] {
  const sensors: Record<string, Environment["temperature"][string]> = {};
  let count = 1;
  for (const row of rowsOf(environment, "tempinfo")) {
    const module = textOf(row, "tempmod");
    if (module !== "1") count = 1;
    const temperature = decimal(textOf(row, "curtemp"), -1);
    sensors[`${module}-${count++} ${(rawOf(row, "sensor") ?? "").trimEnd()}`] = {
      temperature,
      is_alert: (rawOf(row, "alarmstatus") ?? "Ok").trimEnd() !== "Ok",
      is_critical: temperature > decimal(textOf(row, "majthres"), Number.POSITIVE_INFINITY),
    };
  }
  return sensors;
}

function cpuOf(processes: unknown): Environment["cpu"] {
  const top = isRow(processes) ? textOf(processes, "idle_percent") : "";
  const idle = top === "" ? textOf(rowsOf(processes, "cpu_util")[0] ?? {}, "idle_percent") : top;
  return idle === "" ? {} : { 0: { "%usage": rounded(100 - decimal(idle, 100), 2) } };
}

function memoryOf(processes: unknown): Environment["memory"] {
  const [total = {}] = rowsOf(processes, "process_tag");
  const bytes = (kind: string) => integer(textOf(total, `process-memory-share-total-shm-${kind}`), 0) * 1000;
  return { available_ram: bytes("avail"), used_ram: bytes("used") };
}
