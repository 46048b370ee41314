CREATE TABLE `host_key_offers` (
	`host` text NOT NULL,
	`port` integer NOT NULL,
	`type` text NOT NULL,
	`fingerprint` text NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`host`, `port`)
);
--> statement-breakpoint
CREATE TABLE `transcripts` (
	`job_id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`host` text NOT NULL,
	`caller` text NOT NULL,
	`content` blob NOT NULL
);
--> statement-breakpoint
CREATE INDEX `transcripts_at` ON `transcripts` (`at`);--> statement-breakpoint
ALTER TABLE `audit` ADD `bulk_id` text;--> statement-breakpoint
ALTER TABLE `audit` ADD `ticket` text;--> statement-breakpoint
ALTER TABLE `audit` ADD `device` text;--> statement-breakpoint
ALTER TABLE `audit` ADD `submitter_kind` text;--> statement-breakpoint
ALTER TABLE `audit` ADD `submitter` text;--> statement-breakpoint
ALTER TABLE `audit` ADD `sent_sha256` text;--> statement-breakpoint
ALTER TABLE `bulks` ADD `dry_run` integer;--> statement-breakpoint
ALTER TABLE `bulks` ADD `submitter_kind` text;--> statement-breakpoint
ALTER TABLE `bulks` ADD `submitter` text;--> statement-breakpoint
ALTER TABLE `events` ADD `dry_run` integer;--> statement-breakpoint
ALTER TABLE `jobs` ADD `dry_run` integer;--> statement-breakpoint
ALTER TABLE `jobs` ADD `submitter_kind` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `submitter` text;--> statement-breakpoint
DROP TRIGGER `jobs_event_of_new`;--> statement-breakpoint
CREATE TRIGGER `jobs_event_of_new` AFTER INSERT ON `jobs` BEGIN
	INSERT INTO `events` (`at`, `job_id`, `bulk_id`, `host`, `caller`, `status`, `error_type`, `attempt`, `dry_run`)
	VALUES (new.created_at, new.id, new.bulk_id, new.host, new.caller, new.status, new.error_type, new.attempt,
		new.dry_run);
END;
--> statement-breakpoint
DROP TRIGGER `jobs_event`;--> statement-breakpoint
CREATE TRIGGER `jobs_event` AFTER UPDATE OF `status` ON `jobs` WHEN old.status <> new.status BEGIN
	INSERT INTO `events` (`at`, `job_id`, `bulk_id`, `host`, `caller`, `status`, `error_type`, `attempt`, `node`,
		`dry_run`)
	VALUES (
		coalesce(CASE WHEN new.status = 'running' THEN new.started_at
			WHEN new.status IN ('queued', 'held') THEN new.enqueued_at ELSE new.ended_at END, new.enqueued_at),
		new.id, new.bulk_id, new.host, new.caller, new.status, new.error_type, new.attempt, new.node, new.dry_run);
END;
