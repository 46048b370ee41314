import { More } from "../../parts/lists/more.tsx";
import { type Column, Table } from "../../parts/lists/table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { When } from "../../parts/when.tsx";
import { may, reachesAll } from "../../reading/api.ts";
import { usePaged } from "../../reading/paged.ts";
import { place, refine, to } from "../../route.ts";
import { type Entry, entry } from "../../shapes/inventory.ts";
import { text } from "../../text/text.ts";

const perPage = 200;
const exports = ["csv", "yaml", "json"] as const;

export function DevicesPage() {
  const select = place.value.query.get("select") ?? "";
  const search = new URLSearchParams(select === "" ? {} : { select });
  return (
    <>
      <h1>{text.nav.devices}</h1>
      <div class="filters">
        <input
          class="wide"
          aria-label={text.run.selector}
          placeholder={text.run.selectorSample}
          spellcheck={false}
          value={select}
          onChange={(event) => refine({ select: event.currentTarget.value.trim() })}
        />
        {select !== "" && <a href={to(["devices"])}>{text.nextStep.clear}</a>}
        {changesInventory() && (
          <>
            <a class="button" href={to(["device"])}>
              {text.inventory.newDevice}
            </a>
            <a class="button quiet" href={to(["import"])}>
              {text.inventory.import}
            </a>
          </>
        )}
        {select !== "" && may("operate") && (
          <>
            <a class="button quiet" href={to(["run"], { select })}>
              {text.nav.run}
            </a>
            <a class="button quiet" href={to(["discover"], { select })}>
              {text.nav.discover}
            </a>
          </>
        )}
        {select === "" &&
          exports.map((format) => (
            <a
              key={format}
              class="button quiet"
              href={`/inventory/export?format=${format}`}
              download={`inventory.${format}`}
            >
              {text.export} {format.toUpperCase()}
            </a>
          ))}
      </div>
      <Listed
        caption={text.nav.devices}
        path={`/inventory/device?${search}`}
        empty={text.inventory.noDevice}
        columns={[
          {
            head: "device",
            long: true,
            cell: ({ name }) => <a href={to(["device", name])}>{name}</a>,
            value: ({ name }) => name,
          },
          { head: "state", cell: (row) => <StateOf device={row} />, value: stateOf },
          plain("host", ({ host, port }) => [host, port].filter(Boolean).join(":")),
          plain("driver", driverOf),
          plain("site", ({ site }) => site),
          plain("role", ({ role }) => role),
          {
            head: "group",
            cell: ({ group }) => group && <a href={to(["group", group])}>{group}</a>,
            value: ({ group }) => group,
          },
          { ...plain("tags", ({ tags }) => tags?.join(", ")), long: true },
        ]}
      />
    </>
  );
}

const driverOf = ({ driver, platform }: Entry): string => [driver, platform].filter(Boolean).join(" ");

function plain(head: string, value: (row: Row) => string | null | undefined): Column<Row> {
  return { head, cell: value, value };
}

/** Whether its last login failed, for the state and to sort by. */
function stateOf({ enabled, facts }: Entry): string {
  if (enabled === false) return text.inventory.disabled;
  const { seen_at: seen, login_failed_at: failed, login_error: error } = facts ?? {};
  if (failed && (!seen || failed > seen)) return error ?? text.failed;
  return seen ? text.inventory.answered : text.inventory.neverSeen;
}

function StateOf({ device }: { device: Entry }) {
  const state = stateOf(device);
  if (device.enabled === false) return <strong>{state}</strong>;
  const { seen_at: seen, login_failed_at: failed } = device.facts ?? {};
  if (state === text.inventory.neverSeen) return <span class="faint">{state}</span>;
  const isGood = state === text.inventory.answered;
  return (
    <span class={isGood ? "status finished" : "status failed"}>
      <span aria-hidden="true">{isGood ? "✓" : "✕"}</span> {state} <When at={isGood ? seen : failed} />
    </span>
  );
}

export function GroupsPage() {
  return (
    <>
      <h1>{text.nav.groups}</h1>
      {changesInventory() && (
        <div class="filters">
          <a class="button" href={to(["group"])}>
            {text.inventory.newGroup}
          </a>
        </div>
      )}
      <Listed
        caption={text.nav.groups}
        path="/inventory/group?"
        empty={text.inventory.noGroup}
        order={asTree}
        columns={[
          {
            head: "group",
            cell: ({ name, parent, depth }) => (
              <span class="words">
                {"\u2003".repeat(depth)}
                {depth > 0 && <span aria-hidden="true">└ </span>}
                <a href={to(["group", name])}>{name}</a>
                {/* A parent that is on no page yet, or out of reach. */}
                {parent && depth === 0 && <span class="faint"> {parent}</span>}
              </span>
            ),
          },
          {
            head: "devices",
            number: true,
            cell: ({ name, device_count: count }) => (
              <a href={to(["devices"], { select: inGroup(name) })}>{count ?? text.nav.devices}</a>
            ),
          },
          { head: "driver", cell: driverOf },
          { head: "site", cell: ({ site }) => site },
          { head: "tags", cell: ({ tags }) => tags?.join(", ") },
        ]}
      />
    </>
  );
}

/** Devices of a group and its subgroups, including disabled ones. */
export const inGroup = (name: string): string => `group:"${name}" enabled:*`;

/** Whether the key may write the inventory. */
export function changesInventory(): boolean {
  return may("admin") && reachesAll();
}

/** Each group below its parent. */
function asTree(groups: readonly Entry[]): readonly Row[] {
  const below = Map.groupBy(groups, ({ parent }) => parent ?? "");
  const known = new Set(groups.map(({ name }) => name));
  const branch = (one: Entry, depth: number): Row[] => [
    { ...one, depth },
    ...(below.get(one.name) ?? []).flatMap((child) => branch(child, depth + 1)),
  ];
  return groups.filter(({ parent }) => !parent || !known.has(parent)).flatMap((one) => branch(one, 0));
}

type Row = Entry & { readonly depth: number };

interface ListedProps {
  readonly caption: string;
  readonly path: string;
  readonly empty: string;
  readonly columns: readonly Column<Row>[];
  readonly order?: (rows: readonly Entry[]) => readonly Row[];
}

const flat = (rows: readonly Entry[]): readonly Row[] => rows.map((one) => ({ ...one, depth: 0 }));

function Listed({ caption, path, empty, columns, order = flat }: ListedProps) {
  const { rows, error, total, fetchMore } = usePaged(entry, `${path}&limit=${perPage}`);
  if (rows === undefined)
    return error === undefined ? <p class="empty">{text.loading}</p> : <Problem error={error} />;
  return (
    <>
      <Problem error={error} />
      {total !== undefined && total > 0 && (
        <p class="faint">
          {rows.length} of {total}
        </p>
      )}
      <Table
        tools
        caption={caption}
        rows={order(rows)}
        keyOf={({ name }) => name}
        empty={empty}
        columns={columns}
      />
      <More act={fetchMore} />
    </>
  );
}
