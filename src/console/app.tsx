/** The frame: navigation, connection problems, and the view for the current URL. */
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useErrorBoundary, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Right } from "../api/access/key.ts";
import { Login } from "./pages/access/login.tsx";
import { BulkPage } from "./pages/jobs/bulk.tsx";
import { BulksPage } from "./pages/jobs/bulks.tsx";
import { JobPage } from "./pages/jobs/job.tsx";
import { JobsPage } from "./pages/jobs/jobs.tsx";
import { OverviewPage } from "./pages/overview/overview.tsx";
import { Alert, useAlert } from "./parts/alert.tsx";
import { Find } from "./parts/find.tsx";
import { lazily, useLater } from "./parts/lazily.tsx";
import { NotShown } from "./parts/not-loaded.tsx";
import { holds, isPerson, logout, may, me, reachable, reachesAll, recall } from "./reading/api.ts";
import type { Offer } from "./reading/finds.ts";
import { useStream } from "./reading/live.ts";
import { resume } from "./reading/scrolled.ts";
import { usePage } from "./reading/shared.ts";
import { reasons, useStanding } from "./reading/standing.ts";
import { place, to } from "./route.ts";
import { text } from "./text/text.ts";

type Section = keyof typeof text.sections;

interface View {
  readonly title: string;
  readonly page: ComponentType<{ id: string; title: string }>;
  /** Section in the navigation; absent for a page that is opened from another one. */
  readonly section?: Section;
  /** The page in the navigation that it belongs to. */
  readonly within?: string;
  /** Scope that a key needs to see the link. */
  readonly scope?: "read" | "operate" | "admin";
  /** Only for keys that reach all hosts. */
  readonly everywhere?: true;
  /** Right that a key needs to see the link. */
  readonly right?: Right;
  /** Only for persons who have signed in. */
  readonly persons?: true;
}

const views: Readonly<Record<string, View>> = {
  overview: { title: text.nav.overview, page: OverviewPage, section: "operate", scope: "read" },
  run: { title: text.nav.run, page: lazily("RunPage"), section: "operate", scope: "operate" },
  change: { title: text.nav.change, page: lazily("ChangePage"), section: "operate", scope: "read" },
  jobs: { title: text.nav.jobs, page: JobsPage, section: "operate", scope: "read" },
  job: { title: "Job", page: JobPage, within: "jobs" },
  bulks: { title: text.nav.bulks, page: BulksPage, section: "operate", scope: "read" },
  bulk: { title: "Bulk", page: BulkPage, within: "bulks" },
  results: { title: text.results.title, page: lazily("ResultsPage"), within: "bulks" },
  schedules: { title: text.nav.schedules, page: lazily("SchedulesPage"), section: "operate", scope: "read" },
  schedule: { title: "Schedule", page: lazily("SchedulePage"), within: "schedules" },
  recipes: { title: text.nav.recipes, page: lazily("RecipesPage"), section: "operate", scope: "read" },
  recipe: { title: "Recipe", page: lazily("RecipePage"), within: "recipes" },
  templates: {
    title: text.nav.templates,
    page: lazily("TemplatesPage"),
    section: "operate",
    scope: "operate",
  },
  template: { title: "Template", page: lazily("TemplatePage"), within: "templates" },
  devices: { title: text.nav.devices, page: lazily("DevicesPage"), section: "inventory", scope: "read" },
  device: { title: "Device", page: lazily("DevicePage"), within: "devices" },
  groups: { title: text.nav.groups, page: lazily("GroupsPage"), section: "inventory", scope: "read" },
  group: { title: "Group", page: lazily("GroupPage"), within: "groups" },
  discover: {
    title: text.nav.discover,
    page: lazily("DiscoverPage"),
    section: "inventory",
    scope: "operate",
  },
  sources: {
    title: text.nav.sources,
    page: lazily("SourcesPage"),
    section: "inventory",
    scope: "admin",
    everywhere: true,
  },
  source: { title: "Source", page: lazily("SourcePage"), within: "sources" },
  import: { title: text.inventory.import, page: lazily("ImportPage"), within: "devices" },
  history: {
    title: text.nav.history,
    page: lazily("HistoryPage"),
    section: "history",
    scope: "read",
    right: "history",
  },
  changes: {
    title: text.nav.changes,
    page: lazily("ChangesPage"),
    section: "history",
    scope: "read",
    right: "history",
  },
  search: {
    title: text.nav.search,
    page: lazily("SearchPage"),
    section: "history",
    scope: "read",
    right: "history",
  },
  drift: {
    title: text.nav.drift,
    page: lazily("DriftPage"),
    section: "history",
    scope: "read",
    right: "history",
  },
  workers: { title: text.nav.workers, page: lazily("WorkersPage"), section: "system", scope: "read" },
  "my-keys": {
    title: text.nav.myKeys,
    page: lazily("MyKeysPage"),
    section: "system",
    scope: "read",
    persons: true,
  },
  confirm: { title: text.confirm.title, page: lazily("ConfirmPage"), within: "my-keys" },
  keys: { title: text.nav.keys, page: lazily("KeysPage"), section: "system", scope: "read" },
  persons: {
    title: text.nav.persons,
    page: lazily("PersonsPage"),
    section: "system",
    scope: "admin",
    everywhere: true,
  },
  roles: {
    title: text.nav.roles,
    page: lazily("RolesPage"),
    section: "system",
    scope: "admin",
    everywhere: true,
  },
  role: { title: "Role", page: lazily("RolePage"), within: "roles" },
  credentials: {
    title: text.nav.credentials,
    page: lazily("CredentialsPage"),
    section: "system",
    scope: "admin",
    everywhere: true,
  },
  ledger: { title: text.nav.ledger, page: lazily("LedgerPage"), section: "system", scope: "admin" },
  audit: { title: text.nav.audit, page: lazily("AuditPage"), section: "system", scope: "admin" },
  plugins: { title: text.nav.plugins, page: lazily("PluginsPage"), section: "system", scope: "admin" },
  settings: {
    title: text.nav.settings,
    page: lazily("SettingsPage"),
    section: "system",
    scope: "admin",
    everywhere: true,
  },
  licences: { title: text.nav.licences, page: lazily("LicencesPage"), section: "reference", scope: "read" },
};

const sections: readonly Section[] = ["operate", "inventory", "history", "system", "reference"];

/** The end of an id says enough; a name is whole. */
const shortId = (id: string) => (/^[\da-f-]{36}$/.test(id) ? id.slice(-12) : id);

const againMs = 2_000;

export function App() {
  usePage();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (me.value !== undefined && reachable.value) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const find = () =>
      recall().then(
        () => setFailed(false),
        () => {
          setFailed(true);
          timer = setTimeout(() => void find(), againMs);
        },
      );
    void find();
    return () => clearTimeout(timer);
  }, [reachable.value]);
  if (me.value === undefined)
    return (
      <main class="login">
        <h1>{text.name}</h1>
        <p class="empty">{reachable.value && !failed ? text.loading : text.away}</p>
      </main>
    );
  return (
    <>
      <div class="away" role="status">
        {!reachable.value && text.away}
      </div>
      <Alert />
      {me.value === null ? <Login /> : <Frame />}
    </>
  );
}

function Frame() {
  const [name = "overview", id = ""] = place.value.steps;
  const view: View = views[name] ?? { title: text.notFound, page: NotFound };
  const content = useRef<HTMLElement>(null);
  useStream();
  useLater();
  const address = `${name}/${id}`;
  const title = id === "" ? view.title : `${view.title} ${shortId(id)}`;
  // Before the page can be seen: an effect that runs later would take the focus from what the user has reached by then.
  useLayoutEffect(() => {
    document.title = `${title} · ${text.name}`;
    content.current?.focus({ preventScroll: true });
    resume();
    // On a narrow screen the navigation is one line that scrolls.
    document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [address]);
  const { page: Page } = view;
  return (
    <div class="frame">
      <header>
        <button type="button" class="skip" onClick={() => content.current?.focus()}>
          {text.nav.skip}
        </button>
        <a class="brand" href={to(["overview"])}>
          {text.name}
        </a>
        <Find pages={offered()} />
        <nav aria-label="Pages">
          {sections.map((section) => (
            <Links key={section} section={section} current={view.within ?? name} />
          ))}
        </nav>
        <Account />
      </header>
      <main ref={content} tabIndex={-1}>
        <BreakGlass />
        <NotReady />
        <Shown key={address} title={title}>
          <Page id={id} title={title} />
        </Shown>
      </main>
    </div>
  );
}

/** A page that cannot be drawn takes nothing else with it. */
function Shown({ title, children }: { title: string; children: ComponentChildren }) {
  const [broken] = useErrorBoundary();
  return broken === undefined ? children : <NotShown title={title} />;
}

/** Why the service refuses work, on every page. */
function NotReady() {
  useStanding();
  const isShown = reasons.value.length > 0 && reachable.value;
  useAlert(isShown ? [text.notReady, ...reasons.value].join(" ") : "");
  if (!isShown) return null;
  return (
    <div class="not-ready above">
      <strong>{text.notReady}</strong>
      <ul>
        {reasons.value.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </div>
  );
}

/** Somebody has opened the safe: nobody should work with this key for longer than needed. */
function BreakGlass() {
  const isOpen = holds("break_glass");
  useAlert(isOpen ? text.breakGlass : "");
  if (!isOpen) return null;
  return (
    <div class="not-ready">
      <strong>{text.breakGlass}</strong>
    </div>
  );
}

function NotFound() {
  return (
    <>
      <h1>{text.notFound}</h1>
      <p>
        <a href={to(["overview"])}>{text.nav.overview}</a>
      </p>
    </>
  );
}

/** Pages of the navigation that this session may open. */
const mayOpen = ({ section, scope, everywhere, right, persons }: View): boolean =>
  section !== undefined &&
  scope !== undefined &&
  may(scope) &&
  (!everywhere || reachesAll()) &&
  (right === undefined || holds(right)) &&
  (!persons || isPerson());

/** The same for the find box, with what can be made. */
function offered(): readonly Offer[] {
  const pages = Object.entries(views).filter(([, view]) => mayOpen(view));
  const kinds = text.find.kinds;
  const make = text.find.make;
  const mayWrite = may("admin") && reachesAll();
  const actions: [name: string, href: string, shown: boolean][] = [
    [make.change, to(["change", "new"]), may("operate")],
    [make.device, to(["device"]), mayWrite],
    [make.devices, to(["import"]), mayWrite],
    [make.schedule, to(["schedule"]), may("operate")],
  ];
  return [
    ...pages.map(([step, { title }]) => ({ kind: kinds.page, name: title, href: to([step]) })),
    ...actions.flatMap(([name, href, shown]) => (shown ? [{ kind: kinds.action, name, href }] : [])),
  ];
}

/** One section of the navigation. */
function Links({ section, current }: { section: Section; current: string }) {
  const open = Object.entries(views).filter(([, view]) => view.section === section && mayOpen(view));
  if (open.length === 0) return null;
  return (
    <div class="section">
      <span>{text.sections[section]}</span>
      {open.map(([step, { title }]) => (
        <a key={step} href={to([step])} aria-current={step === current ? "page" : undefined}>
          {title}
        </a>
      ))}
      {section === "reference" && <a href="/docs">{text.nav.docs}</a>}
    </div>
  );
}

function Account() {
  const session = me.value;
  if (!session) return null;
  const reach = session.hosts.length === 0 ? "" : ` · ${session.hosts.join(", ")}`;
  return (
    <div class="account">
      <span title={`scope ${session.scope}${reach}`}>{session.person ?? session.key}</span>
      <button type="button" class="quiet" onClick={() => void logout()}>
        {text.nav.logout}
      </button>
    </div>
  );
}
