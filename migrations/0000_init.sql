CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`ended_at` integer,
	`who` text NOT NULL,
	`from_address` text,
	`action` text NOT NULL,
	`host` text,
	`job_id` text,
	`outcome` text NOT NULL,
	`detail` text
);
--> statement-breakpoint
CREATE INDEX `audit_at` ON `audit` (`at`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`job_id` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`receiver` text NOT NULL,
	`events` text,
	`event` text,
	`ended_n` integer,
	`next_t` integer,
	`node` text,
	`generation` integer,
	`claim_t` integer,
	`tries` integer DEFAULT 0 NOT NULL,
	`attempts` text DEFAULT '[]' NOT NULL,
	`hook` blob
);
--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`ended_n`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_next` ON `deliveries` (`next_t`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_held` ON `deliveries` (`receiver`) WHERE state = 'pending' and node is not null;--> statement-breakpoint
CREATE INDEX `deliveries_order` ON `deliveries` (`ended_n`);--> statement-breakpoint
CREATE TABLE `host_keys` (
	`host` text NOT NULL,
	`port` integer NOT NULL,
	`type` text NOT NULL,
	`fingerprint` text NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`host`, `port`, `type`)
);
--> statement-breakpoint
CREATE TABLE `idempotency` (
	`caller` text NOT NULL,
	`key` text NOT NULL,
	`body` text NOT NULL,
	`token` text NOT NULL,
	`answer` blob NOT NULL,
	`drop_t` integer NOT NULL,
	PRIMARY KEY(`caller`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_drop` ON `idempotency` (`drop_t`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`bulk_id` text,
	`status` text NOT NULL,
	`strategy` text NOT NULL,
	`queue` text NOT NULL,
	`lane` text NOT NULL,
	`host` text NOT NULL,
	`host_key` text NOT NULL,
	`driver` text NOT NULL,
	`device_type` text,
	`operation` text NOT NULL,
	`caller` text NOT NULL,
	`created_at` integer NOT NULL,
	`enqueued_at` integer NOT NULL,
	`queued_t` integer NOT NULL,
	`expires_t` integer NOT NULL,
	`ttl_ms` integer NOT NULL,
	`result_ttl_ms` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer,
	`queue_ms` integer,
	`duration_ms` integer,
	`node` text,
	`generation` integer,
	`worker` text,
	`claim` text,
	`attempt` integer DEFAULT 0 NOT NULL,
	`lost` integer DEFAULT 0 NOT NULL,
	`retries` integer DEFAULT 0 NOT NULL,
	`sending_at` integer,
	`stop` text,
	`keep_t` integer,
	`warnings` text,
	`hooked` integer DEFAULT false NOT NULL,
	`audit_id` integer,
	`payload` blob,
	`sent` blob,
	`result` blob
);
--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_id_unique` ON `jobs` (`id`);--> statement-breakpoint
CREATE INDEX `jobs_ready` ON `jobs` (`lane`,`seq`) WHERE status = 'queued';--> statement-breakpoint
CREATE INDEX `jobs_expiry` ON `jobs` (`expires_t`) WHERE status = 'queued';--> statement-breakpoint
CREATE INDEX `jobs_running` ON `jobs` (`node`,`generation`,`claim`) WHERE status = 'running';--> statement-breakpoint
CREATE INDEX `jobs_stop` ON `jobs` (`node`) WHERE status = 'running' and stop is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_pinned` ON `jobs` (`queue`) WHERE status = 'running' and strategy = 'pinned';--> statement-breakpoint
CREATE INDEX `jobs_keep` ON `jobs` (`keep_t`) WHERE keep_t is not null;--> statement-breakpoint
CREATE INDEX `jobs_status` ON `jobs` (`status`,`seq`);--> statement-breakpoint
CREATE INDEX `jobs_host` ON `jobs` (`host_key`,`seq`);--> statement-breakpoint
CREATE INDEX `jobs_bulk` ON `jobs` (`bulk_id`,`seq`) WHERE bulk_id is not null;--> statement-breakpoint
CREATE TABLE `keys` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`scope` text NOT NULL,
	`hosts` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `keys_name_unique` ON `keys` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `keys_hash_unique` ON `keys` (`hash`);--> statement-breakpoint
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `nodes` (
	`name` text PRIMARY KEY NOT NULL,
	`generation` integer NOT NULL,
	`state` text NOT NULL,
	`home` text NOT NULL,
	`hostname` text NOT NULL,
	`pid` integer NOT NULL,
	`started_at` integer NOT NULL,
	`beat_at` integer NOT NULL,
	`lease_t` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `queues` (
	`name` text PRIMARY KEY NOT NULL,
	`node` text NOT NULL,
	`generation` integer NOT NULL,
	`fence` integer NOT NULL,
	`since_t` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `queues_node` ON `queues` (`node`);--> statement-breakpoint
CREATE TABLE `sendings` (
	`job_id` text NOT NULL,
	`attempt` integer NOT NULL,
	`n` integer NOT NULL,
	`lines` blob NOT NULL,
	PRIMARY KEY(`job_id`, `attempt`, `n`)
);
--> statement-breakpoint
CREATE TABLE `workers` (
	`name` text PRIMARY KEY NOT NULL,
	`node` text NOT NULL,
	`generation` integer NOT NULL,
	`status` text NOT NULL,
	`pid` integer NOT NULL,
	`hostname` text NOT NULL,
	`queue` text NOT NULL,
	`current_job` text,
	`beat_at` integer NOT NULL,
	`birth_at` integer NOT NULL,
	`succeeded` integer NOT NULL,
	`failed` integer NOT NULL,
	`stop` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `workers_node` ON `workers` (`node`);