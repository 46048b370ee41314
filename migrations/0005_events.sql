CREATE TABLE `events` (
	`n` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`job_id` text NOT NULL,
	`bulk_id` text,
	`host` text NOT NULL,
	`caller` text NOT NULL,
	`status` text NOT NULL,
	`error_type` text,
	`attempt` integer NOT NULL,
	`node` text
);
--> statement-breakpoint
CREATE TRIGGER `jobs_event_of_new` AFTER INSERT ON `jobs` BEGIN
	INSERT INTO `events` (`at`, `job_id`, `bulk_id`, `host`, `caller`, `status`, `error_type`, `attempt`)
	VALUES (new.created_at, new.id, new.bulk_id, new.host, new.caller, new.status, new.error_type, new.attempt);
END;
--> statement-breakpoint
CREATE TRIGGER `jobs_event` AFTER UPDATE OF `status` ON `jobs` WHEN old.status <> new.status BEGIN
	INSERT INTO `events` (`at`, `job_id`, `bulk_id`, `host`, `caller`, `status`, `error_type`, `attempt`, `node`)
	VALUES (
		coalesce(CASE WHEN new.status = 'running' THEN new.started_at
			WHEN new.status IN ('queued', 'held') THEN new.enqueued_at ELSE new.ended_at END, new.enqueued_at),
		new.id, new.bulk_id, new.host, new.caller, new.status, new.error_type, new.attempt, new.node);
END;
