/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Graphs: operations captured from one stream, in order, to be submitted
 * repeatedly. */
#include "core.h"

using namespace vh;

API CUresult
cuStreamBeginCapture_v2 (CUstream handle, CUstreamCaptureMode)
{
  CALL (vh::Call::CONTEXT);
  auto s = stream_of (call, handle);

  if (!s)
    return call (CUDA_ERROR_INVALID_HANDLE);
  if (s->is_null || s->capture) {
    violation ("%s: the stream cannot capture, or does already", call.name);
    return call (CUDA_ERROR_ILLEGAL_STATE);
  }
  s->capture = make<Graph> (VH_DOUBLE_GRAPH, 'g');
  s->capture->context = s->context;
  return CUDA_SUCCESS;
}

API CUresult
cuStreamEndCapture (CUstream handle, CUgraph * graph)
{
  CALL (vh::Call::CONTEXT);
  auto s = stream_of (call, handle);

  if (!s)
    return call (CUDA_ERROR_INVALID_HANDLE);
  if (!s->capture) {
    violation ("%s: the stream does not capture", call.name);
    return call (CUDA_ERROR_ILLEGAL_STATE);
  }
  g.graphs[s->capture->handle] = s->capture;
  *graph = (CUgraph) s->capture->handle;
  s->capture = nullptr;
  return CUDA_SUCCESS;
}

API CUresult
cuGraphInstantiateWithFlags (CUgraphExec * exec, CUgraph handle,
    unsigned long long)
{
  CALL (vh::Call::CONTEXT);
  auto graph = find (call, g.graphs, handle, "graph");

  if (!graph)
    return call (CUDA_ERROR_INVALID_HANDLE);
  auto copy = make<Graph> (VH_DOUBLE_GRAPH, 'x');
  copy->context = graph->context;
  copy->operations = graph->operations;
  g.graphs[copy->handle] = copy;
  *exec = (CUgraphExec) copy->handle;
  return CUDA_SUCCESS;
}

API CUresult
cuGraphLaunch (CUgraphExec exec, CUstream handle)
{
  CALL (vh::Call::CONTEXT);
  auto s = stream_of (call, handle);
  auto graph = find (call, g.graphs, exec, "graph");

  if (!s || !graph)
    return call (CUDA_ERROR_INVALID_HANDLE);
  if (graph->context != s->context) {
    violation ("%s: graph and stream are of different contexts", call.name);
    return call (CUDA_ERROR_INVALID_HANDLE);
  }
  for (auto & o : graph->operations) {
    if (o.module && o.module->unloaded) {
      violation ("%s: a module of the graph is unloaded", call.name);
      return call (CUDA_ERROR_INVALID_HANDLE);
    }
  }
  for (auto & o : graph->operations)
    submit (call, s, o);
  return CUDA_SUCCESS;
}

static CUresult
destroy (vh::Call & call, const void *handle)
{
  auto graph = find (call, g.graphs, handle, "graph");

  if (!graph)
    return call (CUDA_ERROR_INVALID_HANDLE);
  g.graphs.erase (graph->handle);
  return CUDA_SUCCESS;
}

API CUresult
cuGraphDestroy (CUgraph graph)
{
  CALL (vh::Call::CONTEXT | vh::Call::RELEASE);

  return destroy (call, graph);
}

API CUresult
cuGraphExecDestroy (CUgraphExec exec)
{
  CALL (vh::Call::CONTEXT | vh::Call::RELEASE);

  return destroy (call, exec);
}
