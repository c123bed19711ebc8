DELETE FROM `sandpiper`.events_data  WHERE site_id = {site:String} AND day >= {first:Int32} AND day <= {last:Int32} AND node = {node:String} AND NOT has({except:Array(UInt64)}, segment);
-- parameters: {"site":"it's {a:site}","first":20526,"last":20526,"node":"00112233aabbccdd","except":"[1700000000000,1700000000001]"}
-- settings: {"lightweight_deletes_sync":2}

ALTER TABLE `sandpiper`.events_data  APPLY DELETED MASK;
-- parameters: {}
-- settings: {"mutations_sync":0}
