"""TensorFlow's names that reel.tf refuses: why, and what to use instead. tests/python/tf_names.py checks that none of them is there.

A name refuses what lies under it, too; a star stands for any letters; what is said of tf.x holds for tf.compat.v1.x, and
what is said of tf.keras.Model.x for the x of layers.
"""

from __future__ import annotations

import sys
import typing as _t

if _t.TYPE_CHECKING:
    from types import ModuleType

_REASONS = {
    "ragged tensors: pad to one shape and use tf.sequence_mask": """tf.ragged tf.RaggedTensor tf.RaggedTensorSpec
        tf.ragged_fill_empty_rows tf.ragged_fill_empty_rows_grad tf.io.RaggedFeature tf.experimental.DynamicRaggedShape
        tf.experimental.RowPartition tf.experimental.StructuredTensor tf.data.experimental.dense_to_ragged_batch
        tf.data.Dataset.ragged_batch""",
    "sparse tensors: gradients of gathers are tf.IndexedSlices, other data are dense": """tf.sparse tf.SparseTensor
        tf.SparseTensorSpec tf.nn.embedding_lookup_sparse tf.nn.safe_embedding_lookup_sparse tf.sets
        tf.data.experimental.dense_to_sparse_batch tf.io.SparseFeature tf.io.serialize_sparse tf.io.serialize_many_sparse
        tf.io.deserialize_many_sparse tf.compat.v1.sparse_add tf.compat.v1.sparse_concat tf.compat.v1.sparse_fill_empty_rows
        tf.compat.v1.sparse_mask tf.compat.v1.sparse_maximum tf.compat.v1.sparse_merge tf.compat.v1.sparse_minimum
        tf.compat.v1.sparse_placeholder tf.compat.v1.sparse_reduce_* tf.compat.v1.sparse_reorder
        tf.compat.v1.sparse_reset_shape tf.compat.v1.sparse_reshape tf.compat.v1.sparse_retain
        tf.compat.v1.sparse_slice tf.compat.v1.sparse_softmax tf.compat.v1.sparse_split tf.compat.v1.sparse_tensor_*
        tf.compat.v1.sparse_to_indicator tf.compat.v1.sparse_transpose
        tf.compat.v1.SparseTensorValue
        tf.compat.v1.SparseConditionalAccumulator tf.compat.v1.serialize_sparse tf.compat.v1.serialize_many_sparse
        tf.compat.v1.deserialize_many_sparse tf.compat.v1.setdiff1d
        tf.compat.v1.SparseFeature tf.edit_distance tf.keras.backend.to_dense
        tf.keras.backend.ctc_label_dense_to_sparse
        tf.data.Dataset.sparse_batch tf.compat.v1.convert_to_tensor_or_sparse_tensor""",
    "quantised tensors: reel trains in float32, float64, float16 and bfloat16": """tf.quantization tf.qint8 tf.qint16
        tf.qint32 tf.quint8 tf.quint16 tf.dtypes.qint8 tf.dtypes.qint16 tf.dtypes.qint32 tf.dtypes.quint8 tf.dtypes.quint16
        tf.dtypes.QUANTIZED_DTYPES tf.compat.v1.QUANTIZED_DTYPES tf.compat.v1.quantize tf.compat.v1.quantize_v2
        tf.compat.v1.dequantize tf.compat.v1.quantized_concat tf.compat.v1.fake_quant_* tf.compat.v1.nn.quantized_*
        tf.compat.v1.train.do_quantize_training_on_graphdef tf.keras.quantizers tf.keras.Quantizer
        tf.experimental.float8_* tf.experimental.float4_* tf.experimental.int2 tf.experimental.int4 tf.experimental.uint2
        tf.experimental.uint4""",
    "TPUs and GPUs: reel compiles for the CPU": """tf.tpu tf.dtensor tf.xla tf.mlir tf.experimental.dtensor
        tf.experimental.tensorrt tf.distribute.TPUStrategy tf.distribute.NcclAllReduce tf.config.experimental.*_mlir_bridge
        tf.nn.approx_max_k tf.nn.approx_min_k tf.math.approx_max_k tf.math.approx_min_k
        tf.approx_top_k tf.check_pinned tf.data.experimental.copy_to_device tf.data.experimental.prefetch_to_device""",
    "training on many machines or devices: reel runs in one process on one CPU": """tf.distribute.experimental
        tf.distribute.MultiWorkerMirroredStrategy tf.distribute.ParameterServerStrategy tf.distribute.Server
        tf.distribute.cluster_resolver tf.distribute.coordinator tf.distribute.CrossDeviceOps
        tf.distribute.DistributedDataset tf.distribute.DistributedIterator tf.distribute.DistributedValues
        tf.distribute.InputOptions tf.distribute.RunOptions tf.distribute.StrategyExtended
        tf.distribute.HierarchicalCopyAllReduce tf.distribute.ReductionToOneDevice tf.distribute.InputReplicationMode
        tf.config.experimental_connect_to_cluster tf.config.experimental_connect_to_host
        tf.config.experimental.ClusterDeviceFilters tf.train.ClusterDef tf.train.ClusterSpec tf.train.JobDef
        tf.train.ServerDef tf.compat.v1.train.Server tf.compat.v1.train.Supervisor tf.compat.v1.train.SyncReplicasOptimizer
        tf.compat.v1.train.replica_device_setter tf.compat.v1.train.SessionManager tf.compat.v1.train.WorkerSessionCreator
        tf.compat.v1.train.ChiefSessionCreator tf.compat.v1.train.SessionCreator tf.keras.distribution
        tf.data.experimental.service tf.data.experimental.AutoShardPolicy tf.data.experimental.DistributeOptions
        tf.data.experimental.distributed_save tf.test.create_local_cluster tf.CriticalSection
        tf.data.experimental.ServiceOptions tf.data.experimental.SHARD_HINT tf.experimental.function_executor_type
        tf.compat.v1.train.MonitoredSession tf.compat.v1.train.MonitoredTrainingSession
        tf.compat.v1.train.SingularMonitoredSession tf.compat.v1.train.Scaffold tf.compat.v1.Session.reset""",
    "files of TensorFlow's formats: reel.tensorflow.save and model.export write SavedModels, reel.save and tf.train.Checkpoint what Reel reads": """tf.saved_model
        tf.lite tf.graph_util tf.make_tensor_proto tf.make_ndarray tf.import_graph_def tf.keras.export
        tf.keras.layers.TFSMLayer tf.keras.layers.FlaxLayer tf.keras.layers.JaxLayer tf.keras.layers.TorchModuleWrapper
        tf.compat.v1.train.export_meta_graph tf.compat.v1.train.import_meta_graph
        tf.compat.v1.MetaGraphDef tf.compat.v1.train.SaverDef tf.DType.experimental_* tf.TensorShape.experimental_*
        tf.TensorSpec.experimental_* tf.TensorShape.as_proto tf.DType.as_datatype_enum tf.Variable.to_proto
        tf.Variable.from_proto tf.io.write_graph tf.compat.v1.train.write_graph tf.io.decode_proto
        tf.io.encode_proto
        tf.data.experimental.save tf.data.experimental.load tf.data.experimental.snapshot
        tf.data.Dataset.save tf.data.Dataset.snapshot tf.compat.v1.GraphDef tf.compat.v1.NodeDef tf.compat.v1.AttrValue
        tf.compat.v1.NameAttrList tf.compat.v1.TensorInfo tf.compat.v1.GRAPH_DEF_VERSION*""",
    "operations of TensorFlow's runtime by their raw names: use the public function": """tf.raw_ops tf.load_library
        tf.load_op_library tf.conv tf.conv2d_backprop_filter_v2 tf.conv2d_backprop_input_v2 tf.compat.v1.user_ops
        tf.compat.v1.load_file_system_library tf.experimental.register_filesystem_plugin tf.resource tf.variant
        tf.dtypes.resource tf.dtypes.variant tf.nondifferentiable_batch_function tf.random_index_shuffle
        tf.random.experimental.index_shuffle""",
    "processing of texts: use Python's str before tensors are made": """tf.strings.bytes_split
        tf.strings.ngrams tf.strings.regex_* tf.strings.substr tf.strings.to_hash_bucket* tf.strings.unicode_*
        tf.strings.unsorted_segment_join tf.fingerprint tf.compat.v1.reduce_join tf.compat.v1.regex_replace
        tf.compat.v1.string_* tf.compat.v1.substr tf.io.decode_base64 tf.io.encode_base64 tf.io.decode_compressed
        tf.io.decode_csv tf.io.decode_raw tf.io.decode_json_example tf.compat.v1.decode_* tf.compat.v1.encode_base64
        tf.keras.layers.TextVectorization tf.keras.layers.StringLookup tf.keras.layers.Hashing
        tf.keras.layers.HashedCrossing""",
    "lookup tables of strings: use a Python dict": "tf.lookup",
    "files of images and sounds: decode them with another package into a NumPy array": """tf.audio tf.image.decode_*
        tf.image.encode_* tf.image.is_jpeg tf.image.extract_jpeg_shape tf.image.adjust_jpeg_quality
        tf.image.random_jpeg_quality tf.image.stateless_random_jpeg_quality tf.io.decode_bmp tf.io.decode_gif
        tf.io.decode_image tf.io.decode_jpeg tf.io.decode_jxl tf.io.decode_png tf.io.decode_webp
        tf.io.decode_and_crop_jpeg tf.io.encode_jpeg tf.io.encode_png tf.io.extract_jpeg_shape tf.io.is_jpeg
        tf.keras.utils.load_img tf.keras.utils.save_img
        tf.summary.audio""",
    "records of examples: reel.data reads CSV, images and arrays; tf.data.Dataset takes generators": """tf.feature_column
        tf.io.TFRecordOptions tf.io.TFRecordWriter tf.io.FixedLenFeature tf.io.FixedLenSequenceFeature tf.io.VarLenFeature
        tf.io.parse_* tf.io.serialize_tensor tf.io.match_filenames_once tf.io.matching_files tf.train.Example tf.train.Feature
        tf.train.FeatureList tf.train.FeatureLists tf.train.Features tf.train.FloatList tf.train.Int64List
        tf.train.BytesList tf.train.SequenceExample tf.data.TFRecordDataset
        tf.data.FixedLengthRecordDataset tf.data.experimental.TFRecordWriter tf.data.experimental.CsvDataset
        tf.data.experimental.SqlDataset tf.data.experimental.make_csv_dataset
        tf.data.experimental.make_batched_features_dataset tf.data.experimental.parse_example_dataset
        tf.data.experimental.index_table_from_dataset tf.data.experimental.table_from_dataset tf.compat.v1.parse_*
        tf.compat.v1.serialize_tensor tf.compat.v1.*Reader tf.compat.v1.ReaderBase tf.compat.v1.matching_files
        tf.compat.v1.FixedLenFeature tf.compat.v1.FixedLenSequenceFeature tf.compat.v1.VarLenFeature
        tf.compat.v1.python_io tf.compat.v1.train.match_filenames_once tf.keras.utils.FeatureSpace""",
    "queues of version 1: use tf.data.Dataset": """tf.queue tf.compat.v1.*Queue tf.compat.v1.QueueBase
        tf.compat.v1.ConditionalAccumulator tf.compat.v1.ConditionalAccumulatorBase tf.compat.v1.train.QueueRunner
        tf.compat.v1.train.queue_runner tf.compat.v1.train.add_queue_runner tf.compat.v1.train.start_queue_runners
        tf.compat.v1.train.batch tf.compat.v1.train.batch_join tf.compat.v1.train.maybe_* tf.compat.v1.train.shuffle_batch
        tf.compat.v1.train.shuffle_batch_join tf.compat.v1.train.*_producer tf.compat.v1.train.limit_epochs
        tf.train.Coordinator tf.compat.v1.train.LooperThread""",
    "samples of classes for candidate losses: use the full softmax": """tf.nn.all_candidate_sampler
        tf.nn.fixed_unigram_candidate_sampler tf.nn.learned_unigram_candidate_sampler tf.nn.compute_accidental_hits
        tf.random.all_candidate_sampler tf.random.fixed_unigram_candidate_sampler tf.random.learned_unigram_candidate_sampler
        tf.random.log_uniform_candidate_sampler tf.random.uniform_candidate_sampler
        tf.compat.v1.nn.log_uniform_candidate_sampler tf.compat.v1.nn.uniform_candidate_sampler""",
    "sequences of labels of different lengths, which are sparse tensors there": """tf.nn.ctc_beam_search_decoder
        tf.nn.ctc_greedy_decoder tf.nn.ctc_unique_labels tf.nn.collapse_repeated""",
    "windows of random extents, and other pools and fits that no gradient guide uses": """tf.nn.fractional_avg_pool
        tf.nn.fractional_max_pool tf.nn.isotonic_regression""",
    "cells of recurrent networks: use tf.keras.layers.LSTM, GRU or SimpleRNN": """tf.nn.RNNCellDeviceWrapper
        tf.nn.RNNCellDropoutWrapper tf.nn.RNNCellResidualWrapper""",
    "classes and dispatch of TensorFlow's own extension types": """tf.experimental.BatchableExtensionType
        tf.experimental.ExtensionType tf.experimental.ExtensionTypeBatchEncoder tf.experimental.ExtensionTypeSpec
        tf.experimental.extension_type tf.experimental.dispatch_* tf.experimental.unregister_dispatch_for
        tf.register_tensor_conversion_function tf.TypeSpec tf.OptionalSpec tf.NoneTensorSpec tf.IndexedSlicesSpec
        tf.TensorArraySpec tf.type_spec_from_value tf.types""",
    "special functions that few programs differentiate: scipy.special has them": """tf.math.special.bessel_j*
        tf.math.special.bessel_k* tf.math.special.bessel_y* tf.math.special.dawsn tf.math.special.expint
        tf.math.special.fresnel_* tf.math.special.spence""",
    "sequences of quasi-random numbers: scipy.stats.qmc has them": "tf.math.sobol_sample",
    "TensorFlow's own profiler, tests and internals": """tf.profiler tf.security tf.tools tf.test.Benchmark
        tf.test.assert_equal_graph_def tf.test.benchmark_config tf.test.experimental tf.test.disable_with_predicate
        tf.test.with_eager_op_as_function tf.sysconfig tf.compat.v1.resource_loader tf.compat.v1.distributions
        tf.summary.trace_export tf.summary.trace_off tf.summary.trace_on tf.debugging.experimental""",
    "summaries that reel.SummaryWriter does not write: it has scalars, histograms, text, and graphs by add_graph": """
        tf.summary.image tf.summary.graph tf.summary.write tf.compat.v1.summary.image""",
    "losses, optimizers and initializers that reel does not have": """tf.keras.losses.CTC tf.keras.losses.ctc
        tf.keras.optimizers.Muon tf.keras.optimizers.MultiOptimizer tf.keras.optimizers.OptimizerMap
        tf.keras.optimizers.ScheduleFreeAdamW tf.keras.optimizers.legacy tf.keras.initializers.STFT
        tf.keras.initializers.STFTInitializer tf.keras.initializers.stft""",
    "linear operators: use the matrices themselves and tf.linalg": "tf.linalg.LinearOperator* tf.linalg.experimental",
    "models and data that come over the network: reel.data reads files that are there": "tf.keras.applications",
    "other dtypes for variables than for computing: give layers dtype='bfloat16', or tf.keras.backend.set_floatx": """
        tf.keras.mixed_precision tf.keras.dtype_policies tf.keras.DTypePolicy tf.keras.FloatDTypePolicy""",
    "parts of keras.ops that reel.tf does not have: tf.signal has frames and transforms, tf.math and NumPy the rest": """
        tf.keras.ops.argpartition tf.keras.ops.associative_scan tf.keras.ops.ctc_decode tf.keras.ops.istft tf.keras.ops.kaiser
        tf.keras.ops.ldexp tf.keras.ops.nanmedian tf.keras.ops.nanpercentile tf.keras.ops.nanquantile tf.keras.ops.rearrange
        tf.keras.ops.stft tf.keras.ops.vectorize tf.keras.ops.image.affine_transform tf.keras.ops.image.elastic_transform
        tf.keras.ops.image.extract_patches_3d tf.keras.ops.image.gaussian_blur tf.keras.ops.image.map_coordinates
        tf.keras.ops.image.perspective_transform tf.keras.ops.image.scale_and_translate tf.keras.ops.image.sobel_edges
        tf.keras.ops.image.ssim""",
    "functions of keras.backend that few programs call: tf.nn, tf.image, tf.keras.losses and tf.keras.layers have them": """
        tf.keras.backend.batch_dot tf.keras.backend.batch_normalization tf.keras.backend.binary_crossentropy
        tf.keras.backend.binary_focal_crossentropy tf.keras.backend.categorical_crossentropy
        tf.keras.backend.categorical_focal_crossentropy tf.keras.backend.conv1d tf.keras.backend.conv2d
        tf.keras.backend.conv2d_transpose tf.keras.backend.conv3d tf.keras.backend.ctc_batch_cost tf.keras.backend.ctc_decode
        tf.keras.backend.depthwise_conv2d tf.keras.backend.dropout tf.keras.backend.gradients tf.keras.backend.in_top_k
        tf.keras.backend.pool2d tf.keras.backend.pool3d tf.keras.backend.random_bernoulli
        tf.keras.backend.random_normal_variable tf.keras.backend.random_uniform_variable tf.keras.backend.resize_images
        tf.keras.backend.resize_volumes tf.keras.backend.rnn tf.keras.backend.separable_conv2d
        tf.keras.backend.sparse_categorical_crossentropy tf.keras.backend.spatial_2d_padding
        tf.keras.backend.spatial_3d_padding tf.keras.backend.temporal_padding""",
    "settings of Keras that change nothing here: give them to compile, fit or the layers": """tf.keras.config.dtype_policy
        tf.keras.config.enable_flash_attention tf.keras.config.enable_unsafe_deserialization tf.keras.config.max_epochs
        tf.keras.config.max_steps_per_epoch tf.keras.config.set_backend tf.keras.config.set_dtype_policy
        tf.keras.config.set_max_epochs tf.keras.config.set_max_steps_per_epoch tf.keras.device tf.keras.legacy
        tf.keras.version tf.keras.utils.legacy tf.keras.utils.Config""",
    "Keras's own classes behind its models: tf.Module, tf.keras.Model and tf.function do their work": """tf.keras.Function
        tf.keras.Operation tf.keras.RematScope tf.keras.remat tf.keras.StatelessScope tf.keras.SymbolicScope tf.keras.name_scope
        tf.keras.distillation tf.keras.wrappers tf.keras.visualization tf.keras.callbacks.OrbaxCheckpoint
        tf.keras.utils.get_source_inputs""",
    "members of Keras's models for other backends, quantised weights and version 2: weights, metrics and build have it": """
        tf.keras.Model.add_metric tf.keras.Model.compiled_loss tf.keras.Model.compiled_metrics
        tf.keras.Model.compute_output_spec tf.keras.Model.distribute_reduction_method tf.keras.Model.distribute_strategy
        tf.keras.Model.dtype_policy tf.keras.Model.get_quantization_layer_structure tf.keras.Model.get_state_tree
        tf.keras.Model.input_spec tf.keras.Model.jit_compile tf.keras.Model.load_own_variables
        tf.keras.Model.metrics_variables tf.keras.Model.quantization_mode tf.keras.Model.quantize
        tf.keras.Model.quantized_build tf.keras.Model.quantized_call tf.keras.Model.rematerialized_call
        tf.keras.Model.save_own_variables tf.keras.Model.set_state_tree tf.keras.Model.stateless_call
        tf.keras.Model.stateless_compute_loss tf.keras.Model.supports_masking tf.keras.Model.symbolic_call""",
    "images, sounds and texts in folders, and data of the network: read them with reel.data or Python": """
        tf.keras.utils.array_to_img tf.keras.utils.audio_dataset_from_directory tf.keras.utils.image_dataset_from_directory
        tf.keras.utils.text_dataset_from_directory tf.keras.utils.get_file tf.keras.utils.bounding_boxes""",
    "layers that reel.tf does not have: write them as a tf.keras.layers.Layer of tf.image, tf.nn and tf.signal": """
        tf.keras.layers.Adaptive* tf.keras.layers.AugMix tf.keras.layers.AutoContrast
        tf.keras.layers.ContrastLimitedAdaptiveHistogramEqualization tf.keras.layers.ConvLSTM1D tf.keras.layers.ConvLSTM2D
        tf.keras.layers.ConvLSTM3D tf.keras.layers.CutMix tf.keras.layers.Equalization tf.keras.layers.GroupQueryAttention
        tf.keras.layers.IntegerLookup tf.keras.layers.MaxNumBoundingBoxes tf.keras.layers.MelSpectrogram
        tf.keras.layers.MixUp tf.keras.layers.Pipeline tf.keras.layers.RandAugment tf.keras.layers.Random*
        tf.keras.layers.ReversibleEmbedding tf.keras.layers.STFTSpectrogram tf.keras.layers.Solarization
        tf.keras.layers.SpectralNormalization tf.keras.layers.deserialize tf.keras.layers.serialize""",
    "boxes and windows of images that few programs differentiate": """tf.image.extract_glimpse tf.image.generate_bounding_box_proposals
        tf.image.sample_distorted_bounding_box
        tf.image.stateless_sample_distorted_bounding_box tf.compat.v1.image.crop_and_resize tf.compat.v1.image.draw_bounding_boxes
        tf.compat.v1.image.resize_image_with_pad""",
    "views of checkpoints: tf.train.load_checkpoint reads them": """
        tf.train.CheckpointView tf.train.TrackableView tf.train.experimental""",
    "parts of tf.data that TensorFlow's runtime alone has": """tf.data.IteratorSpec tf.data.Dataset.fingerprint
        tf.data.experimental.DatasetInitializer tf.data.experimental.ExternalStatePolicy
        tf.data.experimental.enable_debug_mode tf.data.experimental.from_variant tf.data.experimental.get_model_proto
        tf.data.experimental.make_saveable_from_iterator tf.data.experimental.to_variant""",
    "switches of TensorFlow's runtime, and the inner parts of its classes": """tf.dtypes.experimental
        tf.experimental.async_clear_error tf.experimental.async_scope tf.experimental.enable_strict_mode
        tf.compat.v1.experimental tf.compat.v1.random.experimental tf.compat.v1.mixed_precision tf.compat.v1.COMPILER_VERSION
        tf.compat.v1.CXX11_ABI_FLAG tf.compat.v1.CXX_VERSION tf.compat.v1.GIT_VERSION tf.compat.v1.MONOLITHIC_BUILD
        tf.DType.cast tf.DType.flatten tf.DType.from_tensors tf.DType.placeholder_value tf.DType.to_tensors
        tf.TensorShape.cast tf.TensorShape.flatten tf.TensorShape.from_tensors tf.TensorShape.placeholder_value
        tf.TensorShape.to_tensors tf.TensorSpec.cast tf.TensorSpec.flatten tf.TensorSpec.from_tensors
        tf.TensorSpec.placeholder_value tf.TensorSpec.to_tensors tf.TensorSpec.value_type tf.Variable.SaveSliceInfo
        tf.Tensor.OVERLOADABLE_OPERATORS tf.Graph.Dismantle tf.Graph.collections tf.Graph.create_op tf.Graph.finalized
        tf.Graph.get tf.Graph.graph_def_versions tf.Graph.new_operations tf.Graph.num_operations tf.Graph.op_def_for_type
        tf.Graph.operations tf.Graph.seed tf.Graph.switch_to_thread_local tf.IndexedSlices.consumers tf.IndexedSlices.graph
        tf.IndexedSlices.name tf.IndexedSlices.op tf.Operation.experimental_set_type tf.Operation.from_node_def""",
    "messages of version 1's event files: tf.summary and reel.SummaryWriter write them": """tf.compat.v1.Event
        tf.compat.v1.HistogramProto tf.compat.v1.LogMessage tf.compat.v1.SessionLog tf.compat.v1.Summary
        tf.compat.v1.SummaryMetadata tf.compat.v1.summary.Event tf.compat.v1.summary.FileWriterCache
        tf.compat.v1.summary.SessionLog tf.compat.v1.summary.SummaryDescription tf.compat.v1.summary.TaggedRunMetadata
        tf.compat.v1.summary.all_v2_summary_ops tf.compat.v1.summary.get_summary_description
        tf.compat.v1.summary.initialize tf.compat.v1.train.summary_iterator""",
    "partitioned variables and shapes of version 1: variables are in one piece, shapes are tuples": """
        tf.compat.v1.create_partitioned_variables tf.compat.v1.fixed_size_partitioner
        tf.compat.v1.min_max_variable_partitioner tf.compat.v1.variable_axis_size_partitioner tf.compat.v1.Dimension
        tf.compat.v1.dimension_at_index tf.compat.v1.dimension_value tf.compat.v1.batch_scatter_update
        tf.compat.v1.count_up_to tf.compat.v1.wrap_function""",
    "hooks and loops of version 1's sessions: write the loop, and tf.keras.callbacks": """tf.compat.v1.train.*Hook
        tf.compat.v1.train.CheckpointSaverListener tf.compat.v1.train.NanLossDuringTrainingError
        tf.compat.v1.train.SecondOrStepTimer tf.compat.v1.train.SessionRun* tf.compat.v1.train.VocabInfo
        tf.compat.v1.train.basic_train_loop tf.compat.v1.train.warm_start tf.compat.v1.train.sdca_*""",
    "checkpoints of version 1 beyond Saver: tf.train.Checkpoint and tf.train.latest_checkpoint": """
        tf.compat.v1.train.Checkpoint tf.compat.v1.train.NewCheckpointReader tf.compat.v1.train.experimental
        tf.compat.v1.train.generate_checkpoint_state_proto tf.compat.v1.train.get_checkpoint_mtimes
        tf.compat.v1.train.init_from_checkpoint tf.compat.v1.train.remove_checkpoint
        tf.compat.v1.train.update_checkpoint_state""",
    "metrics of version 1 by classes and thresholds: tf.keras.metrics has them": """
        tf.compat.v1.metrics.average_precision_at_k tf.compat.v1.metrics.*_at_thresholds
        tf.compat.v1.metrics.mean_cosine_distance tf.compat.v1.metrics.mean_tensor tf.compat.v1.metrics.precision_at_k
        tf.compat.v1.metrics.precision_at_top_k tf.compat.v1.metrics.recall_at_k tf.compat.v1.metrics.recall_at_top_k
        tf.compat.v1.metrics.sensitivity_at_specificity tf.compat.v1.metrics.sparse_*
        tf.compat.v1.metrics.specificity_at_sensitivity""",
    "recurrent networks, samples of classes and gradients of convolutions of version 1: tf.keras.layers and tf.nn": """
        tf.compat.v1.nn.bidirectional_dynamic_rnn tf.compat.v1.nn.dynamic_rnn tf.compat.v1.nn.raw_rnn tf.compat.v1.nn.rnn_cell
        tf.compat.v1.nn.static_* tf.compat.v1.nn.nce_loss tf.compat.v1.nn.sampled_softmax_loss
        tf.compat.v1.nn.conv2d_backprop_filter tf.compat.v1.nn.conv3d_backprop_filter
        tf.compat.v1.nn.conv3d_backprop_filter_v2 tf.compat.v1.nn.ctc_beam_search_decoder_v2""",
    "Keras's older ways to prepare data: use tf.data and the layers of tf.keras.layers": "tf.keras.preprocessing",
}
_WHY = {name: why for why, names in _REASONS.items() for name in names.split()}


def reason(path: str) -> str:
    """Why a name such as tf.ragged.constant is refused; empty if it is not."""
    for full in (path, path.replace("tf.compat.v1.", "tf.", 1), _as_model(path)):
        parts = full.split(".")
        for end in range(len(parts), 1, -1):
            head = ".".join(parts[:end])
            why = _WHY.get(head) or next((w for p, w in _PATTERNS.items() if _fits(head, p)), "")
            if why:
                return why
    return ""


def _as_model(path):
    """What is said of tf.keras.Model.x holds for the x of layers and of Sequential."""
    for kind in ("tf.keras.layers.Layer.", "tf.keras.Sequential."):
        path = path.replace(kind, "tf.keras.Model.", 1)
    return path


_PATTERNS = {name.partition("*")[::2]: why for name, why in _WHY.items() if "*" in name}


def _fits(name: str, ends: tuple[str, str]) -> bool:
    """Whether a name begins and ends as a pattern does; the star stands for no dot."""
    return name.startswith(ends[0]) and name.endswith(ends[1]) and "." not in name[len(ends[0]) :]


def missing(module: str, name: str) -> AttributeError:
    """The error for a name that a module of reel.tf does not have: why it is refused, if it is."""
    path = f"tf{module.removeprefix('reel.tf')}.{name}"
    why = reason(path)
    if why:
        return AttributeError(f"{path} is refused; it is about {why}")
    return AttributeError(
        f"reel.tf has no {path.removeprefix('tf.')!r}: frontend/python/reel/tf/NAMES.md lists TensorFlow's names that are "
        "there; or use reel itself"
    )


def install(module: ModuleType) -> None:
    """Makes a public module of reel.tf answer for names that it does not have."""

    def __getattr__(name: str) -> _t.NoReturn:
        raise missing(module.__name__, name)

    module.__dict__.setdefault("__getattr__", __getattr__)


def install_all() -> None:
    """install for the public modules of reel.tf that are imported."""
    for name, module in list(sys.modules.items()):
        if name.startswith("reel.tf.") and not name.rpartition(".")[2].startswith("_"):
            install(module)
