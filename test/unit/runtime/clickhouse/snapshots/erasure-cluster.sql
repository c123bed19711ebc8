DELETE FROM `sandpiper`.events_data ON CLUSTER `web` WHERE site_id = {site:String} AND day >= {first:Int32} AND day <= {last:Int32} AND node = {node:String} AND NOT has({except:Array(UInt64)}, segment);
-- parameters: {"site":"it's {a:site}","first":20526,"last":20526,"node":"00112233aabbccdd","except":"[1700000000000,1700000000001]"}
-- settings: {"distributed_ddl_output_mode":"throw","distributed_ddl_task_timeout":180,"alter_sync":2,"lightweight_deletes_sync":2}

ALTER TABLE `sandpiper`.events_data ON CLUSTER `web` APPLY DELETED MASK;
-- parameters: {}
-- settings: {"distributed_ddl_output_mode":"throw","distributed_ddl_task_timeout":180,"alter_sync":2,"mutations_sync":0}
