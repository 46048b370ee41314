CREATE TABLE `webhooks` (
	`name` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`limited` integer NOT NULL,
	`created_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`spec` text NOT NULL,
	`receiver` text NOT NULL,
	`content` blob
);
--> statement-breakpoint
CREATE TABLE `notices` (
	`n` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`at` integer NOT NULL,
	`detail` text
);
--> statement-breakpoint
ALTER TABLE `deliveries` ADD `webhook` text;--> statement-breakpoint
CREATE INDEX `deliveries_webhook` ON `deliveries` (`webhook`,`ended_n`) WHERE webhook is not null;--> statement-breakpoint
ALTER TABLE `schedules` ADD `failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE TRIGGER `jobs_notice` AFTER UPDATE OF `status` ON `jobs`
WHEN new.bulk_id IS NOT NULL AND old.status <> new.status AND new.status IN ('finished', 'failed', 'cancelled')
	AND EXISTS (SELECT 1 FROM `webhooks`)
	AND NOT EXISTS (SELECT 1 FROM `jobs` WHERE bulk_id = new.bulk_id AND bulk_id IS NOT NULL
		AND status IN ('queued', 'held', 'running')) BEGIN
	INSERT INTO `notices` (`id`, `kind`, `subject`, `at`)
	VALUES (lower(hex(randomblob(16))), 'bulk.ended', new.bulk_id, coalesce(new.ended_at, new.created_at));
END;
--> statement-breakpoint
CREATE TRIGGER `firings_notice` AFTER UPDATE OF `status` ON `firings`
WHEN old.status = 'submitting' AND new.status IN ('done', 'failed', 'missed') AND EXISTS (SELECT 1 FROM `webhooks`) BEGIN
	INSERT INTO `notices` (`id`, `kind`, `subject`, `at`, `detail`)
	VALUES (lower(hex(randomblob(16))), 'schedule.fired', new.schedule_id, coalesce(new.fired_at, new.due_at),
		CAST(new.due_at AS text));
END;
--> statement-breakpoint
CREATE TRIGGER `schedules_notice` AFTER UPDATE OF `state` ON `schedules`
WHEN old.state <> new.state AND new.state = 'stopped' AND EXISTS (SELECT 1 FROM `webhooks`) BEGIN
	INSERT INTO `notices` (`id`, `kind`, `subject`, `at`, `detail`)
	VALUES (lower(hex(randomblob(16))), 'schedule.stopped', new.id, new.changed_at, new.why);
END;
