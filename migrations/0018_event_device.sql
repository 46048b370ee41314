ALTER TABLE `events` ADD `device` text;--> statement-breakpoint
DROP TRIGGER `jobs_event_of_new`;--> statement-breakpoint
CREATE TRIGGER `jobs_event_of_new` AFTER INSERT ON `jobs` BEGIN
	INSERT INTO `events` (`at`, `job_id`, `bulk_id`, `host`, `caller`, `status`, `error_type`, `attempt`, `dry_run`,
		`device`)
	VALUES (new.created_at, new.id, new.bulk_id, new.host, new.caller, new.status, new.error_type, new.attempt,
		new.dry_run, new.device);
END;
--> statement-breakpoint
DROP TRIGGER `jobs_event`;--> statement-breakpoint
CREATE TRIGGER `jobs_event` AFTER UPDATE OF `status` ON `jobs` WHEN old.status <> new.status BEGIN
	INSERT INTO `events` (`at`, `job_id`, `bulk_id`, `host`, `caller`, `status`, `error_type`, `attempt`, `node`,
		`dry_run`, `device`)
	VALUES (
		coalesce(CASE WHEN new.status = 'running' THEN new.started_at
			WHEN new.status IN ('queued', 'held') THEN new.enqueued_at ELSE new.ended_at END, new.enqueued_at),
		new.id, new.bulk_id, new.host, new.caller, new.status, new.error_type, new.attempt, new.node, new.dry_run,
		new.device);
END;
